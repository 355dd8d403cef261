"""Scenarios about the event, the settings, GitHub, earlier reviews and where the reports go."""

import json
from typing import Any

from tests.conftest import ChatServer
from tests.loopback.github import GitHub
from tests.recorded_runs.model_turns import (
    DIVISION,
    NOTES,
    OF_EVERY_KIND,
    model_scenario,
)
from tests.recorded_runs.replies import asks, call, final, review
from tests.recorded_runs.repositories import (
    EARLIER,
    LINKED_OUTPUT,
    ONLY_A_LOCK_FILE,
    ORDERS,
    TRACKED_BASELINE,
    UNCHANGED,
    VERY_LARGE,
    configured,
)
from tests.recorded_runs.scenario import MODEL, OFFLINE, Event, Nothing, Remote, Repository, Sample, Scenario


def offline(name: str, repository: Repository = ORDERS, **fields: Any) -> Scenario:
    """A scenario of the action with the rules as reviewer; ``inputs`` come on top."""
    inputs = OFFLINE | fields.pop("inputs", {})
    return Scenario(name, repository=repository, inputs=inputs, **fields)


DRY = {"dry-run": "true"}
CLEARTEXT = {"endpoint": "http://ollama:11434/v1/chat/completions"}
SIMPLE = (
    offline("sample-offline", Sample()),
    offline("sample-offline-fails", Sample(), inputs={"fail-on": "high"}),
    Scenario("sample-dry-run", repository=Sample(), inputs=MODEL | DRY),
    Scenario("dry-run-of-text-mode", repository=ORDERS, inputs=DRY | CLEARTEXT | {"tool-mode": "text"}),
    offline("offline-with-a-large-file", VERY_LARGE),
    model_scenario("model-with-debug-log", asks(call("c1", "list_repository_files")), final(DIVISION),
                   environ={"RUNNER_DEBUG": "1"}),
    offline("no-changes", UNCHANGED),
    offline("all-excluded", ONLY_A_LOCK_FILE),
    offline("include-and-exclude", inputs={"include": "src/\n*.json", "exclude": "*.sh\n!package-lock.json"}),
)  # fmt: skip

FILTERS = (
    model_scenario("skip-draft", inputs={"skip-drafts": "true"}, event=Event(pull={"draft": True})),
    model_scenario(
        "skip-label",
        inputs={"skip-labels": "WIP\nno-review"},
        event=Event(pull={"labels": [{"name": "No-Review"}]}),
    ),
    model_scenario("skip-author", inputs={"skip-authors": "octocat"}),
    model_scenario(
        "skip-stranger",
        inputs={"allow-authors": "MEMBER"},
        event=Event(pull={"author_association": "NONE", "user": {"login": "MEMBER"}}),
    ),
    model_scenario(
        "allowed-author",
        final(),
        inputs={"allow-authors": "OWNER, MEMBER"},
        event=Event(pull={"author_association": "MEMBER"}),
    ),
)

DEPENDABOT = Event(sender="dependabot[bot]", pull={"user": {"login": "dependabot[bot]"}})
KEYS = (
    Scenario("key-missing", repository=ORDERS),
    *(
        Scenario(f"key-missing-{policy}", repository=ORDERS, inputs={"on-missing-key": policy})
        for policy in ("offline", "skip")
    ),
    Scenario("key-missing-of-a-fork", repository=ORDERS, event=Event(fork=True)),
    Scenario(
        "key-missing-of-a-fork-target", repository=ORDERS, event=Event("pull_request_target", fork=True)
    ),
    Scenario("key-missing-of-dependabot", repository=ORDERS, event=DEPENDABOT),
    Scenario(
        "key-not-needed",
        repository=ORDERS,
        inputs={name: value for name, value in MODEL.items() if name != "api-key"},
        answers=(final(),),
    ),
)


def dispatch(number: str | None) -> Event:
    """A run started by hand."""
    given = {"pull-request": number} if number else {}
    return Event("workflow_dispatch", raw=json.dumps({"inputs": given}).encode())


def _differs(github: GitHub) -> None:
    github.files = [file for file in github.files if file["filename"] != "README.md"]
    github.files.append(github.file("src/only_there.py"))


def _many(github: GitHub) -> None:
    github.change(310)


def _forbids(github: GitHub) -> None:
    answer = github.answer
    refusal = github.error(403, "Resource not accessible by integration")
    github.server.rule = lambda request: refusal if "/pulls/" in request.path else answer(request)


def _limits(github: GitHub) -> None:
    github.fail(403, "You have exceeded a secondary rate limit.", retry_after="3600")


GITHUB = (
    offline("github-event", Remote()),
    offline("github-list-differs", Remote(), github=_differs),
    offline("github-long-list", Remote(), github=_many),
    offline("github-dispatch", Remote(), event=dispatch("7")),
    offline("github-dispatch-unknown", Remote(), event=dispatch("99")),
    offline("github-dispatch-forbidden", Remote(), event=dispatch("7"), github=_forbids),
    offline("github-dispatch-rate-limited", Remote(), event=dispatch("7"), github=_limits),
    offline("github-dispatch-without-number", event=dispatch(None)),
    offline("github-dispatch-no-token", Remote(), event=dispatch("7"), environ={"INPUT_GITHUB-TOKEN": ""}),
    offline(
        "github-input-url",
        Remote(),
        event=Event(pull={"number": 8, "title": "Another"}),
        inputs={"pull-request": "{git}/octo/demo/pull/7"},
    ),
    offline("github-input-foreign", inputs={"pull-request": "https://github.com/octo/other/pull/7"}),
    offline("github-target-of-a-fork", Remote(), event=Event("pull_request_target", fork=True)),
    Scenario(
        "github-dispatch-with-a-model",
        repository=Remote(),
        event=dispatch("7"),
        inputs=MODEL,
        answers=(asks(call("c1", "inspect_git_diff")), final(DIVISION | {"path": "src/app.py"})),
    ),
)  # fmt: skip

EVENTS = (
    offline("event-push", event=Event("push", raw=b'{"ref":"refs/heads/main"}')),
    offline("event-not-json", event=Event(raw=b"{")),
    offline("event-without-pull-request", event=Event(raw=b"{}")),
    offline("event-file-missing", event=Event(missing=True)),
    offline("event-without-shas", Remote(), event=Event(pull={"base": {"ref": "main"}})),
    offline("event-of-a-bad-repository", environ={"GITHUB_REPOSITORY": "octo"}),
)

WORKSPACES = (
    offline("workspace-without-repository", Nothing(), event=Event(raw=json.dumps({
        "pull_request": {
            "number": 7,
            "title": "A topic",
            "base": {"ref": "main", "sha": "a" * 40},
            "head": {"ref": "topic", "sha": "b" * 40},
        }
    }).encode())),
    offline("workspace-not-set", environ={"GITHUB_WORKSPACE": None}),
    offline("summary-not-writable", environ={"GITHUB_STEP_SUMMARY": "{workspace}/no/such/summary"}),
    offline(
        "output-dir-elsewhere",
        inputs={"output-dir": "build/reports"},
        loose={"build/reports/suggestions.patch": "old\n", "build/reports/mine.txt": "mine\n"},
    ),
    model_scenario("output-dir-is-a-committed-link", repository=LINKED_OUTPUT),
    offline("workspace-root-missing", inputs={"workspace-root": "{workspace}/nowhere"}),
)  # fmt: skip

BAD_INPUTS = {
    "max-rounds": "many",
    "timeout-seconds": "0",
    "endpoint": "http://example.com/v1/chat/completions",
    "extra-body": '{"model":"x"}',
    "extra-headers": '{"authorization":"x"}',
    "skip-drafts": "yes",
    "fail-on": "worst",
    "api-key": "two\nlines of a key",
    "baseline": "../review.json",
    "language": "neither this",
}
INPUTS = (
    model_scenario(
        "inputs-of-many-kinds",
        final(*OF_EVERY_KIND),
        inputs={
            "annotations": "false",
            "extra-body": '{"temperature":0.5}',
            "extra-headers": '{"X-Team":"payments-team","x-route":"blue-lane"}',
            "fail-on": "high",
            "instructions": "Money is in cents.\nNo `float`.",
            "language": "de",
        },
    ),
    Scenario("inputs-bad", repository=ORDERS, inputs=BAD_INPUTS),
    Scenario(
        "inputs-by-alias",
        repository=ORDERS,
        answers=(final(),),
        environ={
            "OPENCODE_BASE_URL": "{model}/v1/chat/completions",
            "OPENCODE_MODEL": "m-2",
            "OPENCODE_API_KEY": "sk-from-an-alias",
            "REVIEW_MAX_ROUNDS": "3",
            "REVIEW_MAX_TOOL_CALLS": "5",
            "REVIEW_TIMEOUT_SECONDS": "60",
            "include_trace": "true",
            "INPUT_MAX_ROUNDS": "4",
            "INPUT_FAILON": "high",
        },
    ),
    model_scenario("fail-on-outside-the-diff", final(OF_EVERY_KIND[3]), inputs={"fail-on": "low"}),
)

GOOD_CONFIG = """\
instructions: |
  Look at rounding.
guidelines: [AGENTS.md]
exclude:
  - "*.sh"
language: fr
fail-on: high
max-rounds: 4
max-repairs: 1
annotations: false
"""
CONFIGS = (
    model_scenario("config-valid", final(DIVISION), repository=configured(GOOD_CONFIG)),
    model_scenario(
        "config-and-inputs",
        final(DIVISION),
        repository=configured(GOOD_CONFIG),
        inputs={"fail-on": "never", "language": "de", "instructions": "Mind the tax."},
    ),
    *(
        offline(f"config-{name}", configured(text))
        for name, text in (
            ("not-yaml", "exclude: [\n"),
            ("unknown-key", "# ours\nfail-no: high\n"),
            ("wrong-types", "fail-on: worst\nexclude: text\nmax-rounds: none\n"),
            ("raises-a-limit", "max-rounds: 90\ntimeout-seconds: 5000\n"),
        )
    ),
    offline("config-of-the-head-is-not-read", configured("", in_head="exclude: ['**']\n")),
)


def suppressing(*items: tuple[str, str, str]) -> str:
    """A configuration that suppresses (fingerprint, reason, last day or nothing)."""
    lines = []
    for fingerprint, reason, expires in items:
        lines += [f"  - fingerprint: '{fingerprint}'", f"    reason: {reason}"]
        lines += [f"    expires: {expires}"] if expires else []
    return "\n".join(["suppress:", *lines, ""])


# What the rules find in ORDERS; baselines and suppressions hold fingerprints, so no version may change them.
MUTABLE, BARE = "2f8fb0599dc6dc34", "ebe7ad9777138dc5"
SILENCED = suppressing(
    (MUTABLE, "Known | <b>and</b> wanted.", ""),
    (BARE, "Ended.", "2000-01-01"),
    ("0123456789abcdef", "Of nothing.", "9999-12-31"),
)
SUPPRESSIONS = (
    offline("suppress-some", configured(SILENCED), inputs={"fail-on": "medium"}),
    offline(
        "suppress-everything",
        configured(suppressing((MUTABLE, "One.", "9999-12-31"), (BARE, "Two.", ""))),
        inputs={"include": "src/", "fail-on": "low"},
    ),
    offline("suppress-badly", configured(suppressing(("0123456789abcdef", "x", "2026-02-30")))),
)

BASELINE = {"baseline": "baseline/review.json"}


def kept(report: str) -> dict[str, str]:
    """The earlier report, where the input looks for it."""
    return {"baseline/review.json": report}


BASELINES = (
    offline("baseline-compared", inputs=BASELINE | {"fail-on-new": "low"}, loose=kept(EARLIER)),
    offline("baseline-missing", inputs=BASELINE | {"fail-on-new": "low"}),
    offline("baseline-not-json", inputs=BASELINE, loose=kept("{")),
    offline(
        "baseline-of-another-repository",
        inputs=BASELINE,
        loose=kept(EARLIER.replace("github.com/octo/demo", "github.com/octo/other")),
    ),
    offline("baseline-tracked", TRACKED_BASELINE, inputs=BASELINE | {"on-error": "neutral"}),
    model_scenario(
        "everything-at-once",
        asks(call("c1", "read_repository_file", path="src/orders.py"), call("c2", "inspect_git_diff")),
        ChatServer.completion("No."),
        asks(call("c3", "search_repository", query="total(")),
        ChatServer.completion(review(*OF_EVERY_KIND, notes=NOTES)),
        repository=configured(SILENCED),
        inputs=BASELINE | {"include-trace": "true", "fail-on": "medium"},
        loose=kept(EARLIER),
    ),
)

SETTINGS_AND_EVENTS = (
    *SIMPLE, *FILTERS, *KEYS, *GITHUB, *EVENTS, *WORKSPACES, *INPUTS, *CONFIGS, *SUPPRESSIONS, *BASELINES,
)  # fmt: skip
