"""review.json: complete, valid against its published schema, and safe to look at."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pr_review import __version__
from pr_review.domain.change import PullRequest
from pr_review.domain.chat import Usage
from pr_review.domain.finding import Edit, Excerpt, Finding, Place, RefusedFinding, SuppressedFinding
from pr_review.domain.run import (
    Comparison,
    ErrorRecord,
    FileCoverage,
    Limits,
    Outcome,
    RequestStats,
    TraceCall,
    TraceTurn,
    Turn,
    TurnCall,
)
from pr_review.report.artifact import records
from pr_review.report.artifact.build import build, to_json
from pr_review.report.artifact.records import ReviewReport
from pr_review.report.artifact.schema import schema, schema_text

COMMITTED = Path(__file__).parents[3] / "docs" / "review.schema.json"
NAMES = [
    *("rich", "clean", "many", "hostile", "rules_only", "rules_found"),
    *("incomplete", "skipped", "failed", "crashed"),
]


def decoded(outcome: Outcome) -> dict:
    return json.loads(to_json(build(outcome)))


@pytest.mark.parametrize("name", NAMES)
def test_every_outcome_is_valid(outcomes, name):
    Draft202012Validator(schema()).validate(decoded(getattr(outcomes, name)))


@pytest.mark.parametrize("name", NAMES)
def test_every_outcome_reads_back(outcomes, name):
    """What was written is the report it came from."""
    report = build(getattr(outcomes, name))
    assert ReviewReport.model_validate_json(to_json(report)) == report


def test_committed_schema_is_the_generated_one():
    """docs/review.schema.json is what ``pr-review schema`` prints; ``make schema`` renews it."""
    assert COMMITTED.read_text(encoding="utf-8") == schema_text()


def test_schema_is_a_valid_draft_2020_12_schema():
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema())


def test_schema_is_open_and_complete():
    """A field may be added, and no field of this version may be missing."""
    nodes = [schema(), *schema()["$defs"].values()]
    objects = [node for node in nodes if node.get("type") == "object"]
    assert len(objects) == 22
    for node in objects:
        assert "additionalProperties" not in node
        assert set(node["required"]) == set(node["properties"])


def test_old_reader_ignores_a_new_field(outcomes):
    """The additive rule, from the reader's side."""
    newer = {**decoded(outcomes.rich), "field_of_tomorrow": 1}
    newer["findings"][0]["field_of_tomorrow"] = "hunk"
    Draft202012Validator(schema()).validate(newer)
    assert ReviewReport.model_validate(newer) == build(outcomes.rich)


def test_file_of_the_first_release_is_still_read(outcomes):
    """What came later has a default on reading, and is always written."""
    older = decoded(outcomes.rich)
    for added in ("suppressed", "comparison"):
        del older[added]
    for found in older["findings"]:
        del found["baseline_state"]
    assert ReviewReport.model_validate(older) == build(outcomes.rich)
    assert not Draft202012Validator(schema()).is_valid(older)


def test_schema_refuses_another_version(outcomes):
    assert not Draft202012Validator(schema()).is_valid({**decoded(outcomes.rich), "schema_version": "2"})


def test_top_level_of_a_review(outcomes):
    """Every field that is not a list of records."""
    report = decoded(outcomes.rich)
    assert report["schema_version"] == "1"
    assert report["tool"] == {"name": "pr-review", "version": __version__}
    assert report["conclusion"] == "findings"
    assert report["exit_code"] == 0
    assert report["termination_reason"] == "final_review"
    assert report["error"] is None
    assert report["pull_request"] == outcomes.rich.pull_request.model_dump()
    assert report["merge_base_sha"] == "b" * 40
    assert report["summary"] == outcomes.rich.review.summary
    assert report["notes"] == list(outcomes.rich.review.notes)
    assert report["run_notes"] == list(outcomes.rich.notes)
    assert (report["provider"], report["model"]) == ("chat-completions", "deepseek-v4-flash")
    assert (report["request_id"], report["prompt_version"]) == ("chatcmpl-3", "3f2a9c1b")
    assert report["usage"] == {"prompt_tokens": 41000, "completion_tokens": 4210, "total_tokens": 45210}
    assert report["requests"]["events"] == list(outcomes.rich.requests.events)
    assert report["limits"] == json.loads(Limits().model_dump_json())
    assert report["duration_ms"] == 48200


def test_finding_keeps_every_field(outcomes):
    """In the reviewer's order, with the excerpt from which any report can be rendered."""
    report = decoded(outcomes.rich)
    assert [found["title"] for found in report["findings"]] == [
        found.title for found in outcomes.rich.review.findings
    ]
    assert report["findings"][3] == json.loads(outcomes.rich.review.findings[3].model_dump_json())


def test_coverage_counts_and_names_every_file(outcomes):
    coverage = decoded(outcomes.incomplete)["coverage"]
    assert (coverage["reviewed"], coverage["excluded"], coverage["not_reviewed"]) == (4, 1, 1)
    assert coverage["files"][-1] == {
        "path": "src/shop/big.py",
        "status": "not_reviewed",
        "reason": "900 of 900 changed lines were never shown to the reviewer",
        "checks": [],
        "conversations": [],
        "additions": 12,
        "deletions": 3,
    }


def test_turns_hold_no_arguments_and_no_previews(outcomes):
    """Names, sizes and times only: every artifact has turns, so they hold nothing confidential."""
    turns = decoded(outcomes.rich)["turns"]
    assert [turn["protocol_action"] for turn in turns] == ["execute_tools", "repair", "return_review"]
    assert turns[0]["tool_calls"][0] == {
        "name": "read_repository_file",
        "ok": True,
        "result_bytes": 2048,
        "truncated": False,
        "duration_ms": 3,
    }
    assert turns[1]["error"] == "invalid_model_response"
    assert turns[2]["tool_calls"] == []


def test_trace_has_arguments_and_previews(outcomes):
    [turn] = decoded(outcomes.rich)["trace"]
    assert set(turn) == set(TraceTurn.model_fields)
    [call] = turn["tool_calls"]
    assert set(call) == set(TraceCall.model_fields)
    assert call["arguments"] == {"path": "src/shop/invoice.py", "start_line": 1}


def test_trace_is_null_when_off(outcomes):
    """A workflow has to ask for the trace, because it repeats code and prompts."""
    assert decoded(outcomes.clean)["trace"] is None
    assert decoded(outcomes.failed)["trace"] is None


def test_unknown_is_null(outcomes):
    """A run that ended before it knew its pull request."""
    report = decoded(outcomes.crashed)
    unknown = ("pull_request", "merge_base_sha", "summary", "model", "request_id", "usage", "trace")
    assert {name: report[name] for name in unknown} == dict.fromkeys(unknown)
    assert report["error"] == {
        "code": "event_missing",
        "detail": "There is no event payload.",
        "advice": "Run inside GitHub Actions.",
        "termination_reason": None,
    }


@pytest.mark.parametrize(
    ("record", "source"),
    [
        (records.FindingRecord, Finding),
        (records.SuppressedRecord, SuppressedFinding),
        (records.ExcerptRecord, Excerpt),
        (records.PlaceRecord, Place),
        (records.EditRecord, Edit),
        (records.RefusedRecord, RefusedFinding),
        (records.ComparisonRecord, Comparison),
        (records.PullRequestRecord, PullRequest),
        (records.UsageRecord, Usage),
        (records.RequestsRecord, RequestStats),
        (records.LimitsRecord, Limits),
        (records.ErrorRecord, ErrorRecord),
        (records.FileCoverageRecord, FileCoverage),
        (records.TurnRecord, Turn),
        (records.TurnCallRecord, TurnCall),
        (records.TraceTurnRecord, TraceTurn),
        (records.TraceCallRecord, TraceCall),
    ],
)
def test_no_domain_field_is_forgotten(record, source):
    """Every report must be renderable from the artifact alone."""
    assert set(record.model_fields) == set(source.model_fields)


def test_no_outcome_field_is_forgotten():
    renamed = {"review": {"summary", "findings", "suppressed", "refused", "notes"}, "notes": {"run_notes"}}
    expected = {"schema_version", "tool"}.union(*(renamed.get(name, {name}) for name in Outcome.model_fields))
    assert set(ReviewReport.model_fields) == expected


def test_text_is_utf8_and_safe_to_print(outcomes):
    """Other scripts stay readable, what a terminal would obey is escaped, a lone surrogate does not fail."""
    call = (
        outcomes.rich.trace[0]
        .tool_calls[0]
        .model_copy(update={"arguments": {"query": "é\x9b\u202e\ud800\x1b"}})
    )
    turn = outcomes.rich.trace[0].model_copy(update={"tool_calls": (call,)})
    text = to_json(build(outcomes.rich.model_copy(update={"trace": (turn,)})))
    assert '"query": "é\\u009b\\u202e\\ud800\\u001b"' in text
    assert text.endswith("}\n")
    text.encode()
    assert json.loads(text)["trace"][0]["tool_calls"][0]["arguments"] == call.arguments
