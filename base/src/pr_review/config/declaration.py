"""What the declaration of an input consists of, and the checks that a declaration must pass."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, get_args

from pr_review.config.parsers import Integer, OneOf, boolean

Workflow = Literal["input", "fixed"]
Command = Literal["local", "check"]
FileRule = Literal["no", "sets", "lowers"]

_KEBAB_CASE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


class Secret(NamedTuple):
    """A secret of the reusable workflow. Its value becomes the input of the action."""

    name: str
    description: str


class Input(NamedTuple):
    """One input of the action, and every other place where a person can set it.

    name: In kebab case. The other spellings are derived from it.
    parse: Turns the text into the value, or raises ``ValueError``.
    description: Markdown for the action, the README and the docs; also the option's help.
    default: A text that is parsed like any other. An empty default means None or no entries.
    shown: How documents print an empty default.
    aliases: Environment variables that are read, in order, when the input is not given.
    private: The value may be a secret, so messages never quote it.
    action_default: The default that ``action.yml`` declares. It is empty for nearly all inputs, because
        GitHub's runner does not tell a default from a value that the workflow wrote.
    workflow: How the reusable workflow gets the value. "input": its caller may give it. ``Secret``: it comes
        from that secret. "fixed": the caller cannot give it.
    commands: The subcommands of ``pr-review`` that have an option of this name.
    option_help: The option's help, where the description speaks of a workflow.
    repeatable: The option may be given several times, each time with one line of the value.
    file: What ``.github/pr-review.yml`` may do. "no": nothing. "sets": give a value. "lowers": give a value
        that is at most the input's.
    """

    name: str
    parse: Callable[[str], Any]
    description: str
    default: str = ""
    shown: str = "none"
    aliases: tuple[str, ...] = ()
    private: bool = False
    action_default: str = ""
    workflow: Workflow | Secret = "input"
    commands: tuple[Command, ...] = ()
    option_help: str = ""
    repeatable: bool = False
    file: FileRule = "no"

    @property
    def field(self) -> str:
        """The attribute of ``Settings``."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """The environment variable in which GitHub's runner passes the input. Dashes stay."""
        return f"INPUT_{self.name.upper()}"

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed words, when the value is one of a closed list."""
        return self.parse.words if isinstance(self.parse, OneOf) else ()

    @property
    def is_flag(self) -> bool:
        """The option takes no value: giving it means ``true``."""
        return self.parse is boolean

    @property
    def shown_default(self) -> str:
        """The default as documents print it, in Markdown."""
        return f"`{self.default}`" if self.default else self.shown


def declare(*inputs: Input) -> tuple[Input, ...]:
    """Return the inputs.

    Raises ``ValueError``, with a sentence, when one is declared wrongly or two share a name or an alias.
    """
    for item in inputs:
        if problem := next(_problems(item), None):
            raise ValueError(f"The input {item.name!r} {problem}.")
    if name := _first_duplicate(item.name for item in inputs):
        raise ValueError(f"The input {name!r} is declared twice.")
    if alias := _first_duplicate(alias for item in inputs for alias in item.aliases):
        raise ValueError(f"The alias {alias!r} is declared twice.")
    return inputs


def _problems(item: Input) -> Iterator[str]:
    """What is wrong, as the rest of a sentence about the input."""
    if not _KEBAB_CASE.fullmatch(item.name):
        yield "is not named in kebab case"
    if not item.description:
        yield "has no description"
    yield from _default_problems(item)
    yield from _place_problems(item)
    yield from _option_problems(item)


def _default_problems(item: Input) -> Iterator[str]:
    try:
        if item.default:
            item.parse(item.default)
    except ValueError as error:
        yield f"has the default {item.default!r}, which its parser refuses: it {error}"


def _place_problems(item: Input) -> Iterator[str]:
    if not isinstance(item.workflow, Secret) and item.workflow not in get_args(Workflow):
        yield f"has the unknown place {item.workflow!r} in the workflow"
    if unknown := set(item.commands) - set(get_args(Command)):
        yield f"has an option of the unknown command {min(unknown)!r}"
    if item.file not in get_args(FileRule):
        yield f"has the unknown rule {item.file!r} for the configuration file"
    if item.file == "lowers" and not isinstance(item.parse, Integer):
        yield "is no number that the configuration file could lower"


def _option_problems(item: Input) -> Iterator[str]:
    if (item.option_help or item.repeatable) and not item.commands:
        yield "describes an option that no command has"
    if item.is_flag and item.commands and item.default != "false":
        yield "cannot be an option: a flag that is on by default cannot be turned off"


def _first_duplicate(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)
