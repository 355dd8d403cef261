"""The reports of a run that ends before it could import anything: the standard library only.

A signal may arrive while pydantic is still being imported, and the artifact is always written (decision 9).
"""

import json

from pr_review import __version__


def minimal(
    code: str,
    detail: str,
    *,
    advice: str = "",
    exit_code: int,
    provider: str = "unknown",
    duration_ms: int = 0,
) -> bytes:
    """A ``review.json`` of which only the error is known; valid against the published schema."""
    report = {
        "schema_version": "1",
        "tool": {"name": "pr-review", "version": __version__},
        "conclusion": "failed",
        "exit_code": exit_code,
        "termination_reason": None,
        "error": {"code": code, "detail": detail, "advice": advice, "termination_reason": None},
        "pull_request": None,
        "merge_base_sha": None,
        "summary": None,
        "findings": [],
        "suppressed": [],
        "comparison": None,
        "notes": [],
        "run_notes": [],
        "coverage": {"reviewed": 0, "excluded": 0, "not_reviewed": 0, "files": []},
        "provider": provider,
        "model": None,
        "request_id": None,
        "prompt_version": None,
        "usage": None,
        "requests": {"requests": 0, "retries": 0, "waited_seconds": 0.0, "events": []},
        "limits": None,
        "turns": [],
        "trace": None,
        "duration_ms": duration_ms,
    }
    return (json.dumps(report, indent=2) + "\n").encode()


def minimal_summary(code: str, detail: str, *, advice: str = "") -> str:
    """A job summary of two lines; all three texts are this program's own, never a model's."""
    return f"## pr-review: the review failed\n\n`{code}`: {' '.join(filter(None, (detail, advice)))}\n"
