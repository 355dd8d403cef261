"""``review.sarif``: the findings in SARIF 2.1.0, for code scanning and editors.

Section numbers refer to the OASIS standard. GitHub reads one location with a start line, ``level``, the
rule's descriptions, and ``partialFingerprints``.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from pr_review import __version__
from pr_review.domain.finding import Category, Edit, Finding, Place, Severity, Side
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import Conclusion, CoverageStatus, Outcome
from pr_review.domain.text import show_controls
from pr_review.report import links
from pr_review.report.json_text import to_json
from pr_review.report.wording import baseline
from pr_review.report.wording import finding as of_finding
from pr_review.report.wording import outcome as verdict
from pr_review.report.wording.order import numbered

if TYPE_CHECKING:
    from pydantic import JsonValue

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT, GITHUBS_FINGERPRINT = "prReview/v1", "primaryLocationLineHash"
HEAD, MERGE_BASE = "SRCROOT", "MERGEBASE"

LEVELS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
}
DESCRIPTIONS = {
    Category.BUG: "The code does something else than it should.",
    Category.SECURITY: "The code can be abused, or leaks what it should keep.",
    Category.DATA: "Data can be lost, damaged or mixed up.",
    Category.CONCURRENCY: "The result depends on what happens at the same time.",
    Category.PERFORMANCE: "The code takes more time or memory than it may.",
    Category.API: "Callers or users of an interface break.",
    Category.ERROR_HANDLING: "A failure is hidden, or handled wrongly.",
    Category.TEST: "A test does not test what it claims.",
    Category.DOCS: "The documentation is wrong.",
    Category.OTHER: "A defect of another kind.",
}
HELP = (
    "Reported by pr-review: by a model that read the change, or by one of its deterministic rules. Read the "
    "evidence before you act."
)

_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")


def render(outcome: Outcome) -> str:
    """The log as JSON text; every outcome has one, also without findings.

    It only counts suppressed findings: GitHub ignores SARIF's suppressions and would raise alerts.
    """
    return to_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [build_run(outcome)]})


def build_run(outcome: Outcome) -> JsonObject:
    """The one run of the log (§3.14)."""
    findings = [finding for _, finding in numbered(outcome)]
    rules = _rules(findings)
    return {
        "tool": {"driver": _driver(list(rules.values()))},
        "automationDetails": {"id": "pr-review/"},
        "invocations": [_invocation(outcome)],
        "originalUriBaseIds": {
            HEAD: {"description": _text("The root of the repository at the head commit.")},
            MERGE_BASE: {"description": _text("The root of the repository at the merge base.")},
        },
        "versionControlProvenance": list(_provenance(outcome)),
        "results": [
            _result(finding, list(rules), compared=outcome.comparison is not None) for finding in findings
        ],
        "properties": {
            "conclusion": outcome.conclusion,
            "provider": outcome.provider,
            "model": outcome.model,
            "suppressed": len(baseline.suppressed(outcome)),
            **{status.value: outcome.coverage.count(status) for status in CoverageStatus},
        },
    }


def _rules(findings: Sequence[Finding]) -> dict[str, JsonObject]:
    """Rules by id: every category, then the deterministic rules behind the findings (§3.49)."""
    rules = {
        category.value: _rule(category.value, _category_name(category), category, description, description)
        for category, description in DESCRIPTIONS.items()
    }
    for finding in findings:
        rule_id = _rule_id(finding)
        rule = _rule(rule_id, rule_id, finding.category, finding.title, finding.explanation)
        rules.setdefault(rule_id, rule)
    return rules


def _category_name(category: Category) -> str:
    return category.value.title().replace("_", "")


def _rule_id(finding: Finding) -> str:
    return show_controls(finding.rule or finding.category.value)


def _rule(rule_id: str, name: str, category: Category, short: str, full: str) -> JsonObject:
    return {
        "id": rule_id,
        "name": name,
        "shortDescription": _text(short),
        "fullDescription": _text(full),
        "help": _text(HELP),
        "properties": {"tags": [category.value]},
    }


def _driver(rules: list["JsonValue"]) -> JsonObject:
    return {"name": "pr-review", "version": __version__, "semanticVersion": __version__, "rules": rules}


def _invocation(outcome: Outcome) -> JsonObject:
    """How the run ended, with its notes and its error as notifications (§3.20)."""
    notes: list[JsonValue] = [
        {"level": "note", "message": _text(note)} for note in verdict.run_notes(outcome)
    ]
    if outcome.error:
        error = outcome.error
        message = _text(f"{error.detail} {error.advice}".strip())
        notes.insert(0, {"level": "error", "descriptor": {"id": error.code}, "message": message})
    elif not outcome.coverage.complete:
        notes.insert(0, {"level": "warning", "message": _text(verdict.reason(outcome))})
    return {
        "executionSuccessful": outcome.conclusion is not Conclusion.FAILED,
        "exitCode": outcome.exit_code,
        "toolExecutionNotifications": notes,
    }


def _provenance(outcome: Outcome) -> Iterator[JsonObject]:
    """The commit that each base id stands for; nothing for a repository without a server."""
    repository = links.repository_url(outcome.pull_request)
    if repository is None or outcome.pull_request is None:
        return
    yield {
        "repositoryUri": repository,
        "revisionId": outcome.pull_request.head_sha,
        "branch": outcome.pull_request.head_ref,
        "mappedTo": {"uriBaseId": HEAD},
    }
    if outcome.merge_base_sha:
        yield {
            "repositoryUri": repository,
            "revisionId": outcome.merge_base_sha,
            "mappedTo": {"uriBaseId": MERGE_BASE},
        }


def _result(finding: Finding, rules: Sequence[str], *, compared: bool) -> JsonObject:
    related: list[JsonValue] = list(_related(finding))
    return {
        "ruleId": _rule_id(finding),
        "ruleIndex": rules.index(_rule_id(finding)),
        "level": LEVELS[finding.severity],
        "message": _text(_message(finding)),
        "locations": [_location(finding.path, HEAD, _head_region(finding))],
        **({"relatedLocations": related} if related else {}),
        **({"partialFingerprints": _fingerprints(finding)} if finding.fingerprint else {}),
        **({"baselineState": finding.baseline_state} if compared else {}),
        **({"fixes": [_fix(finding.path, finding.edit)]} if finding.edit else {}),
        "properties": {
            "severity": finding.severity,
            "confidence": finding.confidence,
            "rule": finding.rule,
            "anchor": finding.anchor,
            "merged": finding.merged,
            "inDiff": finding.in_diff,
            "onAddedLine": finding.on_added_line,
        },
    }


def _fingerprints(finding: Finding) -> JsonObject:
    """Our own, and the only one that GitHub compares, in GitHub's form: a hash and its count."""
    return {FINGERPRINT: finding.fingerprint, GITHUBS_FINGERPRINT: f"{finding.fingerprint}:1"}


def _message(finding: Finding) -> str:
    parts = (
        finding.title,
        of_finding.removed_lines(finding),
        of_finding.anchor_note(finding),
        finding.explanation,
        finding.evidence and f"Evidence: {finding.evidence}",
        finding.recommendation and f"Recommendation: {finding.recommendation}",
    )
    return "\n\n".join(filter(None, parts))


def _head_region(finding: Finding) -> JsonObject | None:
    """None for removed lines, which the head does not have: then the location is the file (§3.29.4)."""
    if finding.side is Side.LEFT or finding.line is None:
        return None
    return _region(finding.line, finding.end_line)


def _related(finding: Finding) -> Iterator[JsonObject]:
    """The removed lines at the merge base, and the other places with the same code."""
    if finding.side is Side.LEFT and finding.line is not None:
        region = _region(finding.line, finding.end_line)
        location = _location(finding.base_path or finding.path, MERGE_BASE, region)
        yield location | {"id": 1, "message": _text("The removed lines, in the merge base.")}
    for number, place in enumerate(finding.alternatives, start=2):
        yield _alternative(finding, place) | {"id": number}


def _alternative(finding: Finding, place: Place) -> JsonObject:
    old = finding.base_path or finding.path
    path, base = (finding.path, HEAD) if place.side is Side.RIGHT else (old, MERGE_BASE)
    region = _region(place.line, place.end_line)
    return _location(path, base, region) | {"message": _text("The same code stands here too.")}


def _location(path: str, base: str, region: JsonObject | None) -> JsonObject:
    physical: JsonObject = {"artifactLocation": {"uri": quote(path), "uriBaseId": base}}
    return {"physicalLocation": physical | ({"region": region} if region else {})}


def _region(line: int, end_line: int | None) -> JsonObject:
    return {"startLine": line, "endLine": max(line, end_line or line)}


def _fix(path: str, edit: Edit) -> JsonObject:
    """A replacement of whole lines; region and text both end before the last newline (§3.30.7)."""
    replacement: JsonObject = {
        "deletedRegion": _region(edit.start_line, edit.end_line),
        "insertedContent": {"text": "\n".join(edit.added).removesuffix("\r")},
    }
    change: JsonObject = {
        "artifactLocation": {"uri": quote(path), "uriBaseId": HEAD},
        "replacements": [replacement],
    }
    return {"description": _text("The reviewer's suggestion."), "artifactChanges": [change]}


def _text(text: str) -> JsonObject:
    """A message in plain text, in which nothing is a link (§3.11.6).

    Braces stay as they are, although §3.11.5 wants them doubled: without arguments no viewer looks for
    placeholders, and doubled braces would be shown as such.
    """
    return {"text": _LINK.sub(r"\\[", show_controls(text))}
