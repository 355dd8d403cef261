"""``review.json``: the report for programs, and its JSON Schema."""

import json
import re
from collections.abc import Mapping
from typing import Any

from pr_review import __version__
from pr_review.domain.run import CoverageStatus, Outcome
from pr_review.report.records import SCHEMA_VERSION, ReviewReport

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Legal in JSON, yet a terminal or an editor would obey them, or GitHub's runner, where it is printed, a
# ``##[command]``; a lone surrogate would not even encode.
_UNSAFE = re.compile("#(?=#\\[)|[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def build(outcome: Outcome) -> ReviewReport:
    """The report of a run; every outcome has one (decision 9)."""
    review, coverage = outcome.review, outcome.coverage
    counts = {status.value: coverage.count(status) for status in CoverageStatus}
    return ReviewReport.model_validate(
        {
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "pr-review", "version": __version__},
            "conclusion": outcome.conclusion,
            "exit_code": outcome.exit_code,
            "termination_reason": outcome.termination_reason,
            "error": outcome.error,
            "pull_request": outcome.pull_request,
            "merge_base_sha": outcome.merge_base_sha,
            "summary": review.summary if review else None,
            "findings": review.findings if review else (),
            "suppressed": review.suppressed if review else (),
            "comparison": outcome.comparison,
            "notes": review.notes if review else (),
            "run_notes": outcome.notes,
            "coverage": {**counts, "files": coverage.files},
            "provider": outcome.provider,
            "model": outcome.model,
            "request_id": outcome.request_id,
            "prompt_version": outcome.prompt_version,
            "usage": outcome.usage,
            "requests": outcome.requests,
            "limits": outcome.limits,
            "turns": outcome.turns,
            "trace": outcome.trace,
            "duration_ms": outcome.duration_ms,
        }
    )


def to_json(report: ReviewReport) -> str:
    """Indented JSON in UTF-8, a newline at the end; characters a terminal would obey are escaped."""
    return encode(report.model_dump())


def encode(data: Mapping[str, Any]) -> str:
    """JSON text that is safe to look at; it holds no workflow command, since each line begins with syntax."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of the report, its keys sorted; open to fields that a later program adds."""
    generated = ReviewReport.model_json_schema(mode="serialization")
    for definition in (generated, *generated["$defs"].values()):
        if "enum" in definition:  # its docstring speaks to readers of the code
            del definition["description"]
        for field in definition.get("properties", {}).values():
            field.pop("title", None)  # which only repeats its name
    whole = {"$schema": _DIALECT, **generated, "title": "review.json of pr-review"}
    return dict(json.loads(json.dumps(whole, sort_keys=True)))


def schema_text() -> str:
    """The schema as ``pr-review schema`` prints it and docs/review.schema.json holds it."""
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"
