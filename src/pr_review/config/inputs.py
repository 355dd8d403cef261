"""Every input of the action, as data: ``action.yml``, the README and the docs are tested against it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pr_review.config import parsers
from pr_review.domain.output_dir import DEFAULT_OUTPUT_DIR

DEFAULT_ENDPOINT = "https://opencode.ai/zen/go/v1/chat/completions"  # item 3
DEFAULT_MODEL = "deepseek-v4-flash"  # item 3
MAX_INSTRUCTIONS_BYTES = 16 * 1024


class Input(NamedTuple):
    """One input.

    ``parse`` turns the text into the value; ``default`` is parsed like any text, and an empty default means
    None, or no entries. ``aliases`` are environment variables read when the input is not given (item 4).
    The text of a ``private`` input is never quoted. ``shown`` is how documents print a default that is not a
    plain text.
    """

    name: str
    default: str
    parse: Callable[[str], Any]
    description: str
    aliases: tuple[str, ...] = ()
    private: bool = False
    shown: str = "none"

    @property
    def field(self) -> str:
        """The attribute of ``Settings``."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """The variable the runner passes the input in: dashes stay."""
        return f"INPUT_{self.name.upper()}"

    @property
    def words(self) -> tuple[str, ...]:
        """What is allowed, when it is a closed list of words."""
        return self.parse.words if isinstance(self.parse, parsers.OneOf) else ()

    @property
    def shown_default(self) -> str:
        """The default as documents print it."""
        return f"`{self.default}`" if self.default else self.shown


INPUTS: tuple[Input, ...] = (
    Input(
        "provider",
        "chat-completions",
        parsers.one_of("chat-completions", "offline"),
        "Who reviews: a model behind an OpenAI-compatible endpoint, or `offline`, which runs deterministic "
        "checks without key or network.",
    ),
    Input(
        "endpoint",
        DEFAULT_ENDPOINT,
        parsers.endpoint,
        "Complete URL of the chat-completions endpoint. Plain http only inside a private network.",
        aliases=("OPENCODE_BASE_URL",),
        private=True,
    ),
    Input("model", DEFAULT_MODEL, parsers.one_line, "Name of the model.", aliases=("OPENCODE_MODEL",)),
    Input(
        "api-key",
        "",
        parsers.credential,
        "Key of the provider, from a secret. Sent in the authorization header only.",
        aliases=("OPENCODE_API_KEY",),
        private=True,
    ),
    Input(
        "provider-profile",
        "",
        parsers.profile_name,
        "How the server deviates from the protocol; see docs/providers.md.",
        shown="chosen by the endpoint's host",
    ),
    Input(
        "extra-headers",
        "",
        parsers.headers,
        "JSON object of further request headers. Their values are treated as secrets.",
        private=True,
    ),
    Input(
        "extra-body",
        "",
        parsers.body,
        "JSON object merged into each request body, for example a reasoning effort. It cannot touch model, "
        "messages, tools or streaming.",
        private=True,
    ),
    Input("stream", "false", parsers.boolean, "Whether to read replies as a stream of server-sent events."),
    Input(
        "tool-mode",
        "auto",
        parsers.one_of("auto", "native", "text"),
        "How the model calls tools: `native`, `text` (described in the prompt), or `auto`: native first, "
        "text when the server refuses tools.",
    ),
    Input(
        "github-token",
        "",
        parsers.credential,
        "Token for reading pull request metadata and missing commits; needs `contents: read` and "
        "`pull-requests: read`.",
        aliases=("GITHUB_TOKEN",),
        private=True,
        shown="the job's own token",
    ),
    Input(
        "pull-request",
        "",
        parsers.one_line,
        "Number or canonical URL of the pull request to review. It wins over the event.",
        shown="from the event",
    ),
    Input("path", ".", parsers.relative_path, "Folder of the checkout, relative to the workspace."),
    Input(
        "max-rounds",
        "8",
        parsers.integer(1, 100),
        "Turns of the model, at most.",
        aliases=("REVIEW_MAX_ROUNDS",),
    ),
    Input(
        "max-tool-calls",
        "32",
        parsers.integer(0, 1000),
        "Tool calls in the whole review, at most.",
        aliases=("REVIEW_MAX_TOOL_CALLS",),
    ),
    Input(
        "max-requests",
        "24",
        parsers.integer(1, 1000),
        "HTTP requests to the model, at most, whatever their cause.",
    ),
    Input(
        "max-repairs",
        "2",
        parsers.integer(0, 10),
        "Turns outside the protocol that are dropped and asked for again; 0 stops at the first.",
    ),
    Input(
        "timeout-seconds",
        "900",
        parsers.integer(1, 21600),
        "Seconds for the whole run.",
        aliases=("REVIEW_TIMEOUT_SECONDS",),
    ),
    Input(
        "include",
        "",
        parsers.patterns,
        "Gitignore patterns, one a line, of the files to review.",
        shown="every changed file",
    ),
    Input(
        "exclude",
        "",
        parsers.patterns,
        "Gitignore patterns, one a line, of files not to review. They follow the built-in ones; `!pattern` "
        "takes a file back in.",
        shown="lock, minified, vendored and generated files",
    ),
    Input(
        "instructions",
        "",
        parsers.text(MAX_INSTRUCTIONS_BYTES),
        "What the reviewer should know or look for in this project, at most 16 KiB.",
    ),
    Input("language", "en", parsers.language_tag, "Language of a model's prose; `offline` is English."),
    Input(
        "fail-on",
        "never",
        parsers.fail_on,
        "Fail the step (exit 1) on a finding inside the diff of this severity or worse: `never`, `low`, "
        "`medium`, `high` or `critical`.",
    ),
    Input(
        "fail-on-new",
        "never",
        parsers.fail_on,
        "As `fail-on`, but only for findings that the `baseline` does not know; without one every finding is "
        "new.",
    ),
    Input(
        "baseline",
        "",
        parsers.path_below,
        "Path of the `review.json` of an earlier review, relative to the workspace: the report says what is "
        "new since then; see docs/findings.md.",
    ),
    Input(
        "fail-on-incomplete",
        "false",
        parsers.boolean,
        "Whether a review that did not cover all selected code fails the step.",
    ),
    Input(
        "on-error",
        "fail",
        parsers.one_of("fail", "neutral"),
        "What a review that could not be finished does to the step: `fail`, or `neutral` with a warning.",
    ),
    Input(
        "on-missing-key",
        "",
        parsers.one_of("fail", "offline", "skip"),
        "What to do without a key: `fail`, review `offline`, or `skip`.",
        shown="`fail`; `offline` for forks and Dependabot",
    ),
    Input("skip-drafts", "false", parsers.boolean, "Whether drafts are skipped."),
    Input("skip-labels", "", parsers.names, "Skip pull requests with one of these labels, one a line."),
    Input("skip-authors", "", parsers.logins, "Skip pull requests of these logins, one a line."),
    Input(
        "allow-authors",
        "",
        parsers.logins,
        "Review only pull requests of these logins or author associations (`OWNER`, `MEMBER`, …), one a "
        "line; for `pull_request_target`, where strangers would spend your money.",
        shown="everyone",
    ),
    Input(
        "output-dir",
        DEFAULT_OUTPUT_DIR,
        parsers.path_below,
        "Folder for the reports, relative to the workspace; of `pr-review local`, to the current folder.",
    ),
    Input(
        "include-trace",
        "false",
        parsers.one_of("false", "true", "always"),
        "Whether the artifact holds tool arguments and result previews: `true` on success, `always` on "
        "errors too.",
        aliases=("include_trace",),
    ),
    Input("annotations", "true", parsers.boolean, "Whether findings are shown as annotations in the diff."),
    Input(
        "relocate",
        "false",
        parsers.boolean,
        "Whether the model is asked, in one more round, for the code of findings whose quote is nowhere.",
    ),
    Input(
        "dry-run",
        "false",
        parsers.boolean,
        "Show what would be sent, and its size; send nothing.",
    ),
    Input(
        "workspace-root",
        "",
        parsers.text(4096),
        "Folder in which the disposable object store is made and removed.",
        aliases=("REVIEW_WORKSPACE_ROOT",),
        shown="the system's temporary folder",
    ),
)


def render_inputs_table() -> str:
    """The Markdown table of all inputs, as the README and docs/configuration.md carry it."""
    rows = [f"| `{item.name}` | {item.shown_default} | {item.description} |" for item in INPUTS]
    return "\n".join(["| input | default | meaning |", "|---|---|---|", *rows]) + "\n"
