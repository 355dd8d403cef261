"""A report without a single dependency."""

import json
import subprocess
import sys

from jsonschema import Draft202012Validator

from pr_review.report.artifact import build, schema, to_json
from pr_review.report.minimal_report import minimal, minimal_summary


def test_minimal_report_is_valid():
    Draft202012Validator(schema()).validate(
        json.loads(minimal("cancelled", "The run was cancelled.", exit_code=130))
    )


def test_minimal_report_has_the_fields_of_a_whole_one(outcomes):
    """In the same order, so that both read alike."""
    whole = json.loads(to_json(build(outcomes.rich)))
    report = json.loads(
        minimal("cancelled", "Cancelled.", advice="Run again.", exit_code=143, provider="offline")
    )
    assert list(report) == list(whole)
    assert report["error"] == {
        "code": "cancelled",
        "detail": "Cancelled.",
        "advice": "Run again.",
        "termination_reason": None,
    }
    assert (report["exit_code"], report["provider"], report["conclusion"]) == (143, "offline", "failed")


def test_minimal_summary_is_two_lines():
    text = minimal_summary("cancelled", "The run was cancelled.", advice="Run again.")
    assert text == "## pr-review: the review failed\n\n`cancelled`: The run was cancelled. Run again.\n"


def test_only_the_standard_library_is_imported():
    """Whatever is half imported when the signal arrives, this still works."""
    code = (
        "import sys; import pr_review.report.minimal_report, pr_review.actions.output_directory;"
        "print({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in {"{'pr_review', '__main__'}", "{'__main__', 'pr_review'}", "{'pr_review'}"}
