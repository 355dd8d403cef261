"""The settings of one run, read from a mapping that is passed in.

Importing this module reads nothing and loads no third-party package, because every run waits for it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal

from pr_review.config.declaration import Input
from pr_review.config.default_excludes import DEFAULT_EXCLUDES
from pr_review.config.inputs import INPUTS
from pr_review.config.parsers import is_local, is_loopback
from pr_review.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import SecretStr

    from pr_review.domain.finding import Severity, Suppression
    from pr_review.domain.frozen import JsonObject
    from pr_review.domain.run import Limits

# GitHub's runner also sets these for the `args` and `entrypoint` of a container step. They are no inputs.
RUNNER_INPUTS = frozenset({"INPUT_ARGS", "INPUT_ENTRYPOINT"})

MAX_QUOTED_CHARS = 40

MissingKeyPolicy = Literal["fail", "offline", "skip"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The validated value of every input, in the order of ``INPUTS``, and four fields that no input sets.

    ``dataclasses.replace`` makes a changed copy. An input without value and default has None, or no entries.

    guidelines: Paths in the base commit whose text joins the instructions; set by the configuration file.
    suppress: Findings that do not count; set by the configuration file.
    given: Names of the inputs that were given.
    notes: Sentences for the log.
    """

    provider: Literal["chat-completions", "offline"]
    endpoint: str
    model: str
    api_key: "SecretStr | None" = None
    provider_profile: str | None = None
    extra_headers: "Mapping[str, SecretStr]" = field(default_factory=dict)
    extra_body: "JsonObject" = field(default_factory=dict)
    stream: bool
    tool_mode: Literal["auto", "native", "text"]
    github_token: "SecretStr | None" = None
    pull_request: str | None = None
    path: str
    max_rounds: int
    max_tool_calls: int
    max_requests: int
    max_repairs: int
    timeout_seconds: int
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    instructions: str = ""
    language: str
    fail_on: "Severity | None"
    fail_on_new: "Severity | None"
    baseline: str | None = None
    fail_on_incomplete: bool
    on_error: Literal["fail", "neutral"]
    on_missing_key: MissingKeyPolicy | None = None
    skip_drafts: bool
    skip_labels: tuple[str, ...] = ()
    skip_authors: tuple[str, ...] = ()
    allow_authors: tuple[str, ...] = ()
    output_dir: str
    include_trace: Literal["false", "true", "always"]
    annotations: bool
    relocate: bool
    dry_run: bool
    workspace_root: str | None = None
    guidelines: tuple[str, ...] = ()
    suppress: "tuple[Suppression, ...]" = ()
    given: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @classmethod
    def from_mapping(cls, environ: Mapping[str, str]) -> "Settings":
        """Read each input from its ``INPUT_`` variable, else from its aliases in order, else its default.

        An empty variable counts as absent, because the runner sets one for each input that is not given.
        Raises ``ConfigError`` that names every bad input and what is allowed.
        """
        texts = {item.name: _lookup(item, environ) for item in INPUTS}
        values = _parse(texts)
        given = frozenset(name for name, text in texts.items() if text)
        notes = (*_unknown_inputs(environ), *_cleartext(values["endpoint"], values["provider"]))
        return cls(**values, given=given, notes=notes)

    @property
    def limits(self) -> "Limits":
        """The run's budgets."""
        from pr_review.domain.run import Limits  # noqa: PLC0415 -- start-up: the records are heavy

        return Limits(
            max_rounds=self.max_rounds,
            max_tool_calls=self.max_tool_calls,
            max_requests=self.max_requests,
            max_repairs=self.max_repairs,
            timeout_seconds=self.timeout_seconds,
        )

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret value. They are masked before anything else is printed."""
        values = (self.api_key, self.github_token, *self.extra_headers.values())
        return tuple(dict.fromkeys(value.get_secret_value() for value in values if value))

    @property
    def exclusions(self) -> tuple[tuple[str, str], ...]:
        """Pairs of pattern and reason, the built-in ones first. The last match decides, as in gitignore."""
        built_in = [(pattern, kind) for kind, patterns in DEFAULT_EXCLUDES.items() for pattern in patterns]
        return (*built_in, *((pattern, "matched by exclude") for pattern in self.exclude))

    @property
    def key_missing(self) -> bool:
        """Whether the provider needs a key that was not given. A server in a private network needs none."""
        return self.provider != "offline" and self.api_key is None and not is_local(self.endpoint)

    def missing_key_policy(self, *, without_secrets: bool) -> MissingKeyPolicy:
        """What to do without a key.

        ``without_secrets`` says that GitHub withholds secrets from this event (forks, Dependabot).
        """
        return self.on_missing_key or ("offline" if without_secrets else "fail")


WITHOUT_INPUT = ("guidelines", "suppress", "given", "notes")


def check_fields(names: Iterable[str], inputs: Iterable[Input]) -> None:
    """Raise ``TypeError`` unless the fields of ``Settings`` are the inputs', in their order."""
    expected = [*(item.field for item in inputs), *WITHOUT_INPUT]
    for name, wanted in zip_longest(names, expected):
        if name != wanted:
            raise TypeError(f"The fields of Settings must follow INPUTS: found {name}, expected {wanted}.")


def _parse(texts: Mapping[str, str]) -> dict[str, Any]:
    """Values by field. An input without text and default has none."""
    problems: list[str] = []
    values: dict[str, Any] = {}
    for item in INPUTS:
        try:
            if text := texts[item.name] or item.default:
                values[item.field] = item.parse(text)
        except ValueError as error:
            problems.append(f"input `{item.name}` {error}{_quote(item, texts[item.name])}")
    if problems:
        advice = "Correct it in the step's `with:` block, the environment, or the command's options."
        raise ConfigError("invalid_input", "; ".join(problems) + ".", advice)
    return values


def _lookup(item: Input, environ: Mapping[str, str]) -> str:
    found = (environ.get(name, "").strip() for name in (item.variable, *item.aliases))
    return next((text for text in found if text), "")


def _quote(item: Input, text: str) -> str:
    return "" if item.private or len(text) > MAX_QUOTED_CHARS else f", not {text!a}"


def _unknown_inputs(environ: Mapping[str, str]) -> Iterator[str]:
    known = {item.variable for item in INPUTS} | RUNNER_INPUTS
    for variable in sorted(environ.keys() - known):
        if variable.startswith("INPUT_"):
            name = variable.removeprefix("INPUT_").lower()
            yield f"Unknown input {name[:MAX_QUOTED_CHARS]!a} is ignored{_suggest(name)}"


def _suggest(name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 -- start-up: only needed for a wrong name

    close = get_close_matches(name, [item.name for item in INPUTS], n=1)
    return f"; did you mean `{close[0]}`?" if close else "."


def _cleartext(endpoint: str, provider: str) -> Iterator[str]:
    if provider != "offline" and endpoint.startswith("http:") and not is_loopback(endpoint):
        yield "The endpoint is plain http: the key and the code travel unencrypted in this network."


check_fields((each.name for each in fields(Settings)), INPUTS)
