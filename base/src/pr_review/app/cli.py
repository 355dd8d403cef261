"""The command line: a table of subcommands, and the functions that run them.

A subcommand imports what it needs when it runs, because start-up time counts.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pr_review import __version__
from pr_review.app.process import Process
from pr_review.errors import EXIT_OK, PrReviewError
from pr_review.report.formats import BY_NAME

if TYPE_CHECKING:
    from pr_review.config.declaration import Input

DESCRIPTION = """\
Reviews a pull request. A finding that quotes code is shown where that code stands, or says that its place is
not certain; what was not looked at is listed. It posts nothing, and it executes nothing of the repository: it
reads commits, gives a model four bounded read-only tools, and writes a report.
"""

EPILOG = """\
examples:
  pr-review local                                review HEAD against main, with the configured model
  pr-review local --provider offline             the same with deterministic checks: no key, no network
  pr-review local --repo ../app --base develop   another repository, another base
  pr-review local --dry-run                      show what would be sent, and its size; send nothing
  pr-review check                                are the settings good? one request with one tool
  pr-review render review.json                   read a report again; --format html, sarif, patch, …
  pr-review schema > review.schema.json          the JSON Schema of review.json

Every input of the action is also an environment variable: max-rounds is INPUT_MAX-ROUNDS, and the usual names
(OPENCODE_API_KEY, OPENCODE_BASE_URL, OPENCODE_MODEL, GITHUB_TOKEN, REVIEW_TIMEOUT_SECONDS, REVIEW_MAX_ROUNDS,
REVIEW_MAX_TOOL_CALLS) work too, also from a .env file in the current directory.

exit codes:
  0  done (also when nothing was found)      3  the review could not be finished
  1  findings at or above --fail-on          4  a bug of pr-review: run again with --debug
  2  wrong settings or usage                 130, 143  interrupted
"""


DEBUG = "print a traceback for a bug of pr-review"


class Command(NamedTuple):
    """A subcommand: its one-line help, what adds its options, and what runs it and returns the exit code."""

    name: str
    help: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Process], int]


def run_command(argv: Sequence[str], process: Process) -> int:
    """Parse ``argv`` and run its command; returns the exit code.

    Raises ``SystemExit``, as argparse does, for wrong usage and after a help text.
    """
    arguments, unknown = build_parser(argv).parse_known_args(argv)
    if unknown:  # with the usage of the command, not of the program
        arguments.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    process = process.debugging(wanted=arguments.debug)
    try:
        code: int = arguments.run(arguments, process)
    except PrReviewError as error:
        process.say_error(error)
        return error.exit_code
    return code


def build_parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of all commands, with the options of those that ``argv`` may name."""
    parser = argparse.ArgumentParser(
        prog="pr-review",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pr-review {__version__}")
    parser.add_argument("--debug", action="store_true", help=DEBUG)
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        text = command.help
        own = subparsers.add_parser(command.name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        own.set_defaults(run=command.run, parser=own)
        own.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=DEBUG)
        if command.name in argv:  # start-up: `action` does not wait for the options of `local`
            command.add_options(own)
    return parser


def _no_options(_: argparse.ArgumentParser) -> None:
    """The command has none of its own."""


def _local_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repo", default=".", metavar="PATH", help="a folder of the repository (default: here)"
    )
    parser.add_argument("--base", default="main", metavar="REF", help="what to compare with (default: main)")
    parser.add_argument("--head", default="HEAD", metavar="REF", help="what to review (default: HEAD)")
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="default: auto, on a terminal"
    )
    _add_inputs(parser, "local")


def _check_options(parser: argparse.ArgumentParser) -> None:
    _add_inputs(parser, "check")


def _render_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("artifact", metavar="FILE", help="the review.json; - for standard input")
    parser.add_argument("--format", choices=sorted(BY_NAME), default="text", help="default: text")


def _add_inputs(parser: argparse.ArgumentParser, command: str) -> None:
    """Add an option for each input that declares one for the command.

    The value is stored under the name of the variable in which GitHub's runner would pass it.
    """
    from pr_review.config.inputs import INPUTS  # noqa: PLC0415 -- start-up: `action` needs no options

    group = parser.add_argument_group("inputs of the action", "An option wins over the environment.")
    for item in INPUTS:
        if command in item.commands:
            group.add_argument(f"--{item.name}", dest=item.variable, help=_help(item), **_kind(item))


def _help(item: "Input") -> str:
    """The option's help as argparse wants it: plain text, with ``%`` doubled."""
    text = item.option_help or item.description
    default = "" if item.is_flag else f" (default: {item.shown_default})"
    return f"{text}{default}".replace("`", "").replace("%", "%%")


def _kind(item: "Input") -> dict[str, Any]:
    """How argparse reads the option: a flag, one of some words, or a text that may be repeatable."""
    if item.is_flag:
        return {"action": "store_const", "const": "true"}
    words = f"{{{','.join(item.choices)}}}" if item.choices else "VALUE"
    return {"action": "append" if item.repeatable else "store", "metavar": words}


def _given_inputs(arguments: argparse.Namespace) -> dict[str, str]:
    """The variables that GitHub's runner would set for the given options."""
    return {
        name: "\n".join(value) if isinstance(value, list) else value
        for name, value in vars(arguments).items()
        if name.startswith("INPUT_") and value
    }


def _run_action(_: argparse.Namespace, process: Process) -> int:
    from pr_review.app.action import run_action  # noqa: PLC0415 -- start-up: only what the command needs

    return run_action(process)


def _run_local(arguments: argparse.Namespace, process: Process) -> int:
    from pr_review.app.local import run_local  # noqa: PLC0415 -- start-up: only what the command needs

    process = process.with_dotenv().overlaid(_given_inputs(arguments))
    return run_local(
        process,
        repository=arguments.repo,
        base=arguments.base,
        head=arguments.head,
        color=_color(arguments.color, process),
    )


def _color(wanted: str, process: Process) -> bool:
    """Whether to print colours. By default only on a terminal, and not with NO_COLOR (https://no-color.org)."""
    if wanted != "auto":
        return wanted == "always"
    return process.stdout.isatty() and not process.environ.get("NO_COLOR")


def _run_check(arguments: argparse.Namespace, process: Process) -> int:
    from pr_review.app.check import run_check  # noqa: PLC0415 -- start-up: only what the command needs

    return run_check(process.with_dotenv().overlaid(_given_inputs(arguments)))


def _run_render(arguments: argparse.Namespace, process: Process) -> int:
    from pr_review.app.render import render_artifact  # noqa: PLC0415 -- start-up: only what it needs

    render_artifact(process, arguments.artifact, arguments.format)
    return EXIT_OK


def _run_schema(_: argparse.Namespace, process: Process) -> int:
    from pr_review.report.artifact.schema import schema_text  # noqa: PLC0415 -- start-up: only what it needs

    process.say(schema_text().rstrip("\n"))
    return EXIT_OK


COMMANDS = (
    Command(
        "action", "run as GitHub's runner does: event file, INPUT_*, GITHUB_* files", _no_options, _run_action
    ),
    Command("local", "review a local repository and print the result", _local_options, _run_local),
    Command("check", "check settings, key and endpoint with one request", _check_options, _run_check),
    Command("render", "print a report made from a review.json", _render_options, _run_render),
    Command("schema", "print the JSON Schema of review.json", _no_options, _run_schema),
)
