"""The template that shows a model the final review names the fields that are accepted, and no other."""

import json
from pathlib import Path

import pr_review.review
from pr_review.findings.submission import Submission, SubmittedFinding

TEMPLATE = Path(pr_review.review.__file__).parent / "templates" / "final_review.json"


def test_the_template_names_every_field_that_is_accepted():
    shown = json.loads(TEMPLATE.read_text(encoding="utf-8"))
    assert set(shown) == set(Submission.model_fields)
    assert set(shown["findings"][0]) == set(SubmittedFinding.model_fields)
