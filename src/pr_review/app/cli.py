"""The command line: one subcommand a use, with a help that teaches."""

import argparse
from collections.abc import Callable, Sequence

from pr_review import __version__
from pr_review.app.process import Process
from pr_review.errors import EXIT_OK, PrReviewError

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


def run_command(argv: Sequence[str]) -> int:
    """Parse ``argv`` and run its command; returns the exit code."""
    arguments, unknown = build_parser().parse_known_args(argv)
    if unknown:  # with the usage of the command, not of the program
        arguments.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    process = Process.of_process(debug=arguments.debug)
    try:
        code: int = arguments.run(arguments, process)
    except PrReviewError as error:
        process.say_error(error)
        return error.exit_code
    return code


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="pr-review",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pr-review {__version__}")
    parser.add_argument("--debug", action="store_true", help=DEBUG)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add(commands, "action", _action, "run as GitHub's runner does: event file, INPUT_*, GITHUB_* files")
    local = _add(commands, "local", _local, "review a local repository and print the result")
    local.add_argument(
        "--repo", default=".", metavar="PATH", help="a folder of the repository (default: here)"
    )
    local.add_argument("--base", default="main", metavar="REF", help="what to compare with (default: main)")
    local.add_argument("--head", default="HEAD", metavar="REF", help="what to review (default: HEAD)")
    local.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="default: auto, on a terminal"
    )
    _add_overrides(local, LOCAL_OVERRIDES)
    local.add_argument("--dry-run", action="store_const", const="true", help=DRY_RUN)
    check = _add(commands, "check", _check, "check settings, key and endpoint with one request")
    _add_overrides(check, CHECK_OVERRIDES)
    render = _add(commands, "render", _render, "print a report made from a review.json")
    render.add_argument("artifact", metavar="FILE", help="the review.json; - for standard input")
    render.add_argument("--format", choices=sorted(FORMATS), default="text", help="default: text")
    _add(commands, "schema", _schema, "print the JSON Schema of review.json")
    return parser


DEBUG = "print a traceback for a bug of pr-review"
DRY_RUN = "write what would be sent to request.json in the output folder; send nothing, and need no key"
FORMATS = ("annotations", "html", "md", "patch", "sarif", "text")
CHECK_OVERRIDES = ("provider", "endpoint", "model", "provider-profile", "tool-mode")
LOCAL_OVERRIDES = (
    *CHECK_OVERRIDES,
    "include",
    "exclude",
    "fail-on",
    "fail-on-new",
    "baseline",
    "output-dir",
    "max-rounds",
    "timeout-seconds",
    "include-trace",
)
REPEATABLE = frozenset({"include", "exclude"})
# What an option means where the input's own description speaks of a workflow.
HELP = {
    "include": "Gitignore pattern of files to review; repeatable.",
    "exclude": "Gitignore pattern of files not to review, !PATTERN takes a file back in; repeatable.",
    "baseline": "The review.json of an earlier review, below the current folder: what is new since then?",
    "output-dir": "Folder for the reports, below the current folder.",
}


def _add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[[argparse.Namespace, Process], int],
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=DEBUG)
    return parser


def _add_overrides(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    """Options named as inputs; given ones win over the environment."""
    from pr_review.config.inputs import INPUTS  # noqa: PLC0415 -- start-up: `action` needs no options

    for item in INPUTS:
        if item.name in names:
            text = HELP.get(item.name) or item.description
            parser.add_argument(
                f"--{item.name}",
                action="append" if item.name in REPEATABLE else "store",
                metavar=f"{{{','.join(item.words)}}}" if item.words else "VALUE",
                help=f"{text} (default: {item.shown_default})".replace("`", "").replace("%", "%%"),
            )


def _overrides(arguments: argparse.Namespace) -> dict[str, str]:
    """Options as the variables that the runner would set."""
    given = vars(arguments)
    names = (*LOCAL_OVERRIDES, "dry-run")
    values = ((name, given.get(name.replace("-", "_"))) for name in names)
    return {
        f"INPUT_{name.upper()}": "\n".join(value) if name in REPEATABLE else value
        for name, value in values
        if value
    }


def _action(_: argparse.Namespace, process: Process) -> int:
    from pr_review.app.action import run_action  # noqa: PLC0415 -- start-up: only what the command needs

    return run_action(process)


def _local(arguments: argparse.Namespace, process: Process) -> int:
    from pr_review.app.local import run_local  # noqa: PLC0415 -- start-up: only what the command needs

    process = process.with_dotenv().overlaid(_overrides(arguments))
    return run_local(
        process,
        repository=arguments.repo,
        base=arguments.base,
        head=arguments.head,
        color=_color(arguments.color, process),
    )


def _color(wanted: str, process: Process) -> bool:
    """As asked for; else on a terminal, unless NO_COLOR is set (no-color.org)."""
    if wanted != "auto":
        return wanted == "always"
    return process.stdout.isatty() and not process.environ.get("NO_COLOR")


def _check(arguments: argparse.Namespace, process: Process) -> int:
    from pr_review.app.check import run_check  # noqa: PLC0415 -- start-up: only what the command needs

    return run_check(process.with_dotenv().overlaid(_overrides(arguments)))


def _render(arguments: argparse.Namespace, process: Process) -> int:
    from pr_review.app.render import render_artifact  # noqa: PLC0415 -- start-up: only what it needs

    render_artifact(process, arguments.artifact, arguments.format)
    return EXIT_OK


def _schema(_: argparse.Namespace, process: Process) -> int:
    from pr_review.report.artifact.schema import schema_text  # noqa: PLC0415 -- start-up: only what it needs

    process.say(schema_text().rstrip("\n"))
    return EXIT_OK
