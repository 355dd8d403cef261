"""The report of a run of which only the error is known, made without a single dependency."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pr_review import __version__
from pr_review.domain.run import Conclusion, ErrorRecord, Outcome
from pr_review.errors import Interrupted, PrReviewError
from pr_review.report.artifact import minimal as minimal_module
from pr_review.report.artifact.build import build, to_json
from pr_review.report.artifact.load import load
from pr_review.report.artifact.minimal import minimal_report, minimal_summary
from pr_review.report.artifact.minimal_template import minimal_template
from pr_review.report.artifact.schema import schema

CANCELLED = Interrupted(15)


def test_committed_template_is_the_generated_one():
    """minimal.json is made from the models; ``make schema`` renews it."""
    committed = Path(minimal_module.__file__).parent / "minimal.json"
    assert committed.read_text(encoding="utf-8") == minimal_template()


def test_minimal_report_is_valid():
    Draft202012Validator(schema()).validate(json.loads(minimal_report(CANCELLED)))


def test_minimal_report_is_that_of_an_outcome_of_which_only_the_error_is_known():
    """In the same order, so that both read alike; only the limits are not known yet."""
    error = ErrorRecord(code="cancelled", detail=CANCELLED.detail, advice=CANCELLED.advice)
    outcome = Outcome(conclusion=Conclusion.FAILED, exit_code=143, provider="unknown", error=error)
    whole = json.loads(to_json(build(outcome)))
    report = json.loads(minimal_report(CANCELLED))
    assert list(report.items()) == list((whole | {"limits": None}).items())
    assert load(minimal_report(CANCELLED)) == outcome


def test_minimal_report_carries_version_error_and_exit_code():
    report = json.loads(minimal_report(CANCELLED))
    assert report["tool"] == {"name": "pr-review", "version": __version__}
    assert (report["exit_code"], report["provider"], report["conclusion"]) == (143, "unknown", "failed")
    assert report["error"] == {
        "code": "cancelled",
        "detail": "The run was cancelled.",
        "advice": "Run again if that was not intended.",
        "termination_reason": None,
    }


def test_one_report_leaves_nothing_in_the_next():
    """The template is shared, and two signals may arrive."""
    first = minimal_report(PrReviewError("first", "First.", "Once."))
    minimal_report(CANCELLED)
    assert minimal_report(PrReviewError("first", "First.", "Once.")) == first


@pytest.mark.parametrize(("advice", "end"), [("Run again.", " Run again."), ("", "")])
def test_minimal_summary_is_two_lines(advice, end):
    text = minimal_summary(PrReviewError("cancelled", "The run was cancelled.", advice))
    assert text == f"## pr-review: the review failed\n\n`cancelled`: The run was cancelled.{end}\n"


def test_only_the_standard_library_is_imported():
    """Whatever is half imported when the signal arrives, this still works."""
    code = (
        "import sys; import pr_review.report.artifact.minimal, pr_review.actions.output_directory;"
        "print({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in {"{'pr_review', '__main__'}", "{'__main__', 'pr_review'}", "{'pr_review'}"}


def test_nothing_is_read_when_the_report_is_made():
    """A signal handler opens no file but those that it writes."""
    code = (
        "import sys; from pr_review.errors import Interrupted;"
        "from pr_review.report.artifact.minimal import minimal_report;"
        "opened = []; sys.addaudithook(lambda event, _: opened.append(event));"
        "minimal_report(Interrupted(2)); print([e for e in opened if e in {'open', 'import'}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
