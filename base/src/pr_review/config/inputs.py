"""Every input of the action: the one declaration from which all other places are generated.

To add an input, write its declaration here and its typed field in ``settings.Settings``, and use it. Then run
``make inputs``. It rewrites the generated parts of ``action.yml``, the reusable workflow, the README,
docs/configuration.md and ``.env.example``. The options of the command line and the keys of
``.github/pr-review.yml`` are built from this table when they are needed.
"""

from pr_review.config import parsers
from pr_review.config.declaration import Input, Secret, declare
from pr_review.config.defaults import DEFAULT_OUTPUT_DIR
from pr_review.domain.sizes import KIB

MAX_INSTRUCTIONS_BYTES = 16 * KIB

INPUTS: tuple[Input, ...] = declare(
    Input(
        name="provider",
        default="chat-completions",
        parse=parsers.OneOf("chat-completions", "offline"),
        description="Who reviews: a model behind an OpenAI-compatible endpoint, or `offline`, which runs "
        "deterministic checks without key or network.",
        commands=("local", "check"),
    ),
    Input(
        name="endpoint",
        default="https://opencode.ai/zen/go/v1/chat/completions",
        parse=parsers.endpoint,
        description="Complete URL of the chat-completions endpoint. Plain http is accepted only inside a "
        "private network.",
        aliases=("OPENCODE_BASE_URL",),
        private=True,
        commands=("local", "check"),
    ),
    Input(
        name="model",
        default="deepseek-v4-flash",
        parse=parsers.one_line,
        description="Name of the model.",
        aliases=("OPENCODE_MODEL",),
        commands=("local", "check"),
    ),
    Input(
        name="api-key",
        parse=parsers.credential,
        description="API key of the provider, from a secret. It is sent in the authorization header only.",
        aliases=("OPENCODE_API_KEY",),
        private=True,
        workflow=Secret(
            "PR_REVIEW_API_KEY",
            "Key of the model provider; without it the review fails or runs offline (on-missing-key).",
        ),
    ),
    Input(
        name="provider-profile",
        parse=parsers.profile_name,
        description="How the server deviates from the protocol; see docs/providers.md.",
        shown="chosen by the endpoint's host",
        commands=("local", "check"),
    ),
    Input(
        name="extra-headers",
        parse=parsers.headers,
        description="JSON object of additional request headers. Their values are treated as secrets.",
        private=True,
        workflow=Secret("PR_REVIEW_EXTRA_HEADERS", "JSON object of further request headers."),
    ),
    Input(
        name="extra-body",
        parse=parsers.body,
        description="JSON object merged into each request body, for example a reasoning effort. It cannot "
        "set the model, messages, tools or streaming.",
        private=True,
        commands=("local", "check"),
    ),
    Input(
        name="stream",
        default="false",
        parse=parsers.boolean,
        description="Whether to read replies as a stream of server-sent events.",
        option_help="Read replies as a stream of server-sent events.",
        commands=("local", "check"),
    ),
    Input(
        name="tool-mode",
        default="auto",
        parse=parsers.OneOf("auto", "native", "text"),
        description="How the model calls tools: `native`, `text` (described in the prompt), or `auto` "
        "(native first, text when the server refuses tools).",
        commands=("local", "check"),
    ),
    Input(
        name="github-token",
        parse=parsers.credential,
        description="Token for reading pull request metadata and missing commits. It needs `contents: read` "
        "and `pull-requests: read`.",
        shown="the job's own token",
        aliases=("GITHUB_TOKEN",),
        private=True,
        action_default="${{ github.token }}",
        workflow="fixed",  # the job's own token
    ),
    Input(
        name="pull-request",
        parse=parsers.one_line,
        description="Number or canonical URL of the pull request to review. It wins over the event.",
        shown="from the event",
    ),
    Input(
        name="path",
        default=".",
        parse=parsers.relative_path,
        description="Folder of the checkout, relative to the workspace.",
        workflow="fixed",  # the workflow checks out at the root of the workspace
    ),
    Input(
        name="max-rounds",
        default="8",
        parse=parsers.Integer(1, 100),
        description="Maximum number of model turns.",
        aliases=("REVIEW_MAX_ROUNDS",),
        commands=("local",),
        file="lowers",
    ),
    Input(
        name="max-tool-calls",
        default="32",
        parse=parsers.Integer(0, 1000),
        description="Maximum number of tool calls in the whole review.",
        aliases=("REVIEW_MAX_TOOL_CALLS",),
        commands=("local",),
        file="lowers",
    ),
    Input(
        name="max-requests",
        default="24",
        parse=parsers.Integer(1, 1000),
        description="Maximum number of HTTP requests to the model, including retries.",
        commands=("local",),
        file="lowers",
    ),
    Input(
        name="max-repairs",
        default="2",
        parse=parsers.Integer(0, 10),
        description="How many invalid replies to discard and retry. 0 fails on the first one.",
        commands=("local",),
        file="lowers",
    ),
    Input(
        name="timeout-seconds",
        default="900",
        parse=parsers.Integer(1, 21600),
        description="Time limit for the whole run, in seconds.",
        aliases=("REVIEW_TIMEOUT_SECONDS",),
        commands=("local",),
        file="lowers",
    ),
    Input(
        name="include",
        parse=parsers.patterns,
        description="Gitignore patterns of the files to review, one per line.",
        shown="every changed file",
        commands=("local",),
        option_help="Gitignore pattern of files to review; repeatable.",
        repeatable=True,
        file="sets",
    ),
    Input(
        name="exclude",
        parse=parsers.patterns,
        description="Gitignore patterns of files not to review, one per line. They follow the built-in "
        "patterns; `!pattern` includes a file again.",
        shown="lock, minified, vendored and generated files",
        commands=("local",),
        option_help="Gitignore pattern of files not to review; !PATTERN includes a file again; repeatable.",
        repeatable=True,
        file="sets",
    ),
    Input(
        name="instructions",
        parse=parsers.text(MAX_INSTRUCTIONS_BYTES),
        description="What the reviewer should know or look for in this project, at most 16 KiB.",
        commands=("local",),
        file="sets",
    ),
    Input(
        name="language",
        default="en",
        parse=parsers.language_tag,
        description="Language in which the model writes. `offline` always writes English.",
        commands=("local",),
        file="sets",
    ),
    Input(
        name="fail-on",
        default="never",
        parse=parsers.fail_on,
        description="Fail the step (exit 1) on a finding inside the diff of this severity or worse: `never`, "
        "`low`, `medium`, `high` or `critical`.",
        commands=("local",),
        option_help="Exit with 1 on a finding inside the diff of this severity or worse: never, low, medium, "
        "high or critical.",
        file="sets",
    ),
    Input(
        name="fail-on-new",
        default="never",
        parse=parsers.fail_on,
        description="As `fail-on`, but only for findings that are not in the `baseline`. Without a baseline, "
        "every finding is new.",
        workflow="fixed",  # as baseline
        commands=("local",),
        file="sets",
    ),
    Input(
        name="baseline",
        parse=parsers.path_below,
        description="Path of the `review.json` of an earlier review, relative to the workspace. The report "
        "then says what is new; see docs/findings.md.",
        workflow="fixed",  # fetching one needs the right to read other runs, which callers would have to give
        commands=("local",),
        option_help="The review.json of an earlier review, below the current folder. The report then says "
        "what is new.",
    ),
    Input(
        name="fail-on-incomplete",
        default="false",
        parse=parsers.boolean,
        description="Whether to fail the step when some selected code was not reviewed.",
        commands=("local",),
        option_help="Exit with 3 when some selected code was not reviewed.",
        file="sets",
    ),
    Input(
        name="on-error",
        default="fail",
        parse=parsers.OneOf("fail", "neutral"),
        description="Result of the step when the review cannot be finished: `fail`, or `neutral` with a "
        "warning.",
    ),
    Input(
        name="on-missing-key",
        parse=parsers.OneOf("fail", "offline", "skip"),
        description="What to do without a key: `fail`, review `offline`, or `skip`.",
        shown="`fail`; `offline` for forks and Dependabot",
    ),
    Input(
        name="skip-drafts",
        default="false",
        parse=parsers.boolean,
        description="Whether to skip drafts.",
    ),
    Input(
        name="skip-labels",
        parse=parsers.names,
        description="Skip pull requests that have one of these labels, one per line.",
    ),
    Input(
        name="skip-authors",
        parse=parsers.logins,
        description="Skip pull requests by these logins, one per line.",
    ),
    Input(
        name="allow-authors",
        parse=parsers.logins,
        description="Review only pull requests by these logins or author associations (`OWNER`, `MEMBER`, "
        "…), one per line. Set it with `pull_request_target`, where strangers could spend your money.",
        shown="everyone",
    ),
    Input(
        name="output-dir",
        default=DEFAULT_OUTPUT_DIR,
        parse=parsers.path_below,
        description="Folder for the reports, relative to the workspace; for `pr-review local`, relative to "
        "the current folder.",
        workflow="fixed",  # the workflow uploads the default folder
        commands=("local",),
        option_help="Folder for the reports, below the current folder.",
    ),
    Input(
        name="include-trace",
        default="false",
        parse=parsers.OneOf("false", "true", "always"),
        description="Whether the artifact holds tool arguments and result previews: `true` on success, "
        "`always` also on errors.",
        aliases=("include_trace",),
        commands=("local",),
    ),
    Input(
        name="annotations",
        default="true",
        parse=parsers.boolean,
        description="Whether to show findings as annotations in the diff.",
        file="sets",
    ),
    Input(
        name="relocate",
        default="false",
        parse=parsers.boolean,
        description="Whether to ask the model, in one more round, for the code of findings whose quote was "
        "not found.",
        commands=("local",),
        option_help="Ask the model, in one more round, for the code of findings whose quote was not found.",
    ),
    Input(
        name="dry-run",
        default="false",
        parse=parsers.boolean,
        description="Show what would be sent and its size, and send nothing.",
        commands=("local",),
        option_help="Write what would be sent to request.json in the output folder; send nothing, and need "
        "no key.",
    ),
    Input(
        name="workspace-root",
        parse=parsers.text(4096),
        description="Folder in which the temporary object store is created and removed.",
        shown="the system's temporary folder",
        aliases=("REVIEW_WORKSPACE_ROOT",),
        workflow="fixed",  # the action runs in a container of its own
        commands=("local",),
    ),
)
