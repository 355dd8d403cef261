"""Settings of one run, from a mapping that is passed in; importing this is cheap, and reads nothing."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field, SecretStr

from pr_review.config.default_excludes import DEFAULT_EXCLUDES
from pr_review.config.inputs import INPUTS, Input
from pr_review.config.parsers import is_local, is_loopback
from pr_review.domain.finding import Severity, Suppression
from pr_review.domain.frozen import Frozen, JsonObject
from pr_review.domain.run import Limits
from pr_review.errors import ConfigError

# The runner passes these two of every container step in the same way; they are not ours.
RUNNER_INPUTS = frozenset({"INPUT_ARGS", "INPUT_ENTRYPOINT"})

MAX_QUOTED_CHARS = 40

MissingKeyPolicy = Literal["fail", "offline", "skip"]


class Settings(Frozen):
    """All inputs, validated. ``given`` names the inputs that were really given; ``notes`` are for the log."""

    provider: Literal["chat-completions", "offline"]
    endpoint: str
    model: str
    api_key: SecretStr | None = None
    provider_profile: str | None = None
    extra_headers: dict[str, SecretStr] = Field(default_factory=dict)
    extra_body: JsonObject = Field(default_factory=dict)
    stream: bool
    tool_mode: Literal["auto", "native", "text"]
    github_token: SecretStr | None = None
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
    fail_on: Severity | None
    fail_on_new: Severity | None
    fail_on_incomplete: bool
    on_error: Literal["fail", "neutral"]
    on_missing_key: MissingKeyPolicy | None = None
    baseline: str | None = None
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
    suppress: tuple[Suppression, ...] = ()
    given: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @classmethod
    def from_mapping(cls, environ: Mapping[str, str]) -> "Settings":
        """Read every input: its ``INPUT_`` variable, else its aliases in order, else its default.

        The runner passes an input that is not given as an empty text, so empty is absent. Raises
        ``ConfigError`` naming every bad input and what is allowed.
        """
        texts = {item.name: _lookup(item, environ) for item in INPUTS}
        problems: list[str] = []
        fields: dict[str, Any] = {}
        for item in INPUTS:
            try:
                if text := texts[item.name] or item.default:
                    fields[item.field] = item.parse(text)
            except ValueError as error:
                problems.append(f"input `{item.name}` {error}{_quote(item, texts[item.name])}")
        if problems:
            advice = "Correct it in the step's `with:` block, the environment, or the command's options."
            raise ConfigError("invalid_input", "; ".join(problems) + ".", advice)
        given = frozenset(name for name, text in texts.items() if text)
        notes = (*_unknown_inputs(environ), *_cleartext(fields["endpoint"], fields["provider"]))
        return cls(**fields, given=given, notes=notes)

    @property
    def limits(self) -> Limits:
        """The run's budgets."""
        return Limits(
            max_rounds=self.max_rounds,
            max_tool_calls=self.max_tool_calls,
            max_requests=self.max_requests,
            max_repairs=self.max_repairs,
            timeout_seconds=self.timeout_seconds,
        )

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret value, to be masked before anything else is printed."""
        values = (self.api_key, self.github_token, *self.extra_headers.values())
        return tuple(dict.fromkeys(value.get_secret_value() for value in values if value))

    @property
    def exclusions(self) -> tuple[tuple[str, str], ...]:
        """(pattern, reason) pairs, the built-in ones first: the last match decides, as in gitignore."""
        built_in = [(pattern, kind) for kind, patterns in DEFAULT_EXCLUDES.items() for pattern in patterns]
        return (*built_in, *((pattern, "matched by exclude") for pattern in self.exclude))

    @property
    def key_missing(self) -> bool:
        """Whether the provider needs a key that was not given; servers in a private network need none."""
        return self.provider != "offline" and self.api_key is None and not is_local(self.endpoint)

    def missing_key_policy(self, *, without_secrets: bool) -> MissingKeyPolicy:
        """What to do without a key; ``without_secrets``: GitHub gives this event none (fork, Dependabot)."""
        return self.on_missing_key or ("offline" if without_secrets else "fail")


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
            close = difflib.get_close_matches(name, [item.name for item in INPUTS], n=1)
            hint = f"; did you mean `{close[0]}`?" if close else "."
            yield f"Unknown input {name[:MAX_QUOTED_CHARS]!a} is ignored{hint}"


def _cleartext(endpoint: str, provider: str) -> Iterator[str]:
    if provider != "offline" and endpoint.startswith("http:") and not is_loopback(endpoint):
        yield "The endpoint is plain http: the key and the code travel unencrypted in this network."
