"""The artifact and the summary of a run that ends before it could import anything heavy.

A signal may arrive while pydantic is still being imported, and an artifact is always written. So this needs
the standard library only, and reads its template now, because a signal handler must not wait for a file.
"""

import json
from pathlib import Path

from pr_review import __version__
from pr_review.errors import PrReviewError

_TEMPLATE = json.loads((Path(__file__).parent / "minimal.json").read_text(encoding="utf-8"))


def minimal_report(error: PrReviewError) -> bytes:
    """A ``review.json`` of which only the error is known; valid against the published schema."""
    report = _TEMPLATE | {
        "tool": _TEMPLATE["tool"] | {"version": __version__},
        "exit_code": error.exit_code,
        "error": _TEMPLATE["error"] | {"code": error.code, "detail": error.detail, "advice": error.advice},
    }
    return (json.dumps(report, indent=2) + "\n").encode()


def minimal_summary(error: PrReviewError) -> str:
    """A job summary of two lines; every text of such an error is this program's own, never a model's."""
    words = " ".join(filter(None, (error.detail, error.advice)))
    return f"## pr-review: the review failed\n\n`{error.code}`: {words}\n"
