"""A quote that is nowhere is asked for again, once, and only when the workflow wants it."""

import json

import pytest

from pr_review.domain.run import Conclusion

BASE = {"app.py": "def mean(rows):\n    return sum(rows)\n"}
HEAD = {"app.py": "def mean(rows):\n    count = len(rows)\n    return sum(rows) / count\n"}
RIGHT = "    return sum(rows) / count"
FINDING = {
    "severity": "high",
    "title": "Division by zero",
    "explanation": "mean([]) raises ZeroDivisionError.",
    "path": "app.py",
    "line": 1,
    "evidence": "It divides.",
    "recommendation": "Return 0.",
    "existing_code": "    return sum(rows) / len(count)",
}
REVIEW = {"summary": "Averages.", "findings": [FINDING], "notes": []}
ANSWER = {"quotes": [{"finding": 1, "existing_code": RIGHT}]}


@pytest.fixture
def repo(make_repo):
    return make_repo(BASE, HEAD)


@pytest.fixture
def review(repo, review_repo, chat_server, chat_inputs):
    """Review with these answers after the final one."""

    def run(*answers, **inputs):
        chat_server.add(chat_server.completion(json.dumps(REVIEW)), *answers)
        return review_repo(repo, **chat_inputs, **inputs)

    return run


def anchored(reviewed):
    [found] = reviewed.outcome.review.findings
    return found.line, found.anchor


def test_without_the_input_nothing_is_asked(review, chat_server):
    reviewed = review()
    assert (anchored(reviewed), len(chat_server.bodies)) == ((1, "unverified"), 1)


def test_the_code_that_comes_back_places_the_finding(review, chat_server):
    """With the tools of every round; the round is in the artifact."""
    reviewed = review(chat_server.completion(json.dumps(ANSWER)), relocate="true")
    assert anchored(reviewed) == (3, "hunk")
    assert reviewed.outcome.conclusion is Conclusion.FINDINGS
    first, second = chat_server.bodies
    assert (second["tools"], first["tool_choice"], second["tool_choice"]) == (first["tools"], "auto", "none")
    assert second["messages"][-1]["role"] == "user"
    assert json.loads(second["messages"][-1]["content"].splitlines()[-1])["finding"] == 1
    assert (len(reviewed.outcome.turns), reviewed.outcome.requests.requests) == (2, 2)
    assert (
        "Findings that quote code which is nowhere: 1; asked again, 1 could be placed."
        in reviewed.outcome.notes
    )


@pytest.mark.parametrize(
    "quote",
    ["    return sum(rows) / len(other)", "def mean(rows):", "", "import os"],
    ids=["nowhere", *"abc"],
)
def test_code_that_is_nowhere_or_other_code_changes_nothing(review, chat_server, quote):
    answer = {"quotes": [{"finding": 1, "existing_code": quote}]}
    reviewed = review(chat_server.completion(json.dumps(answer)), relocate="true")
    assert anchored(reviewed) == (1, "unverified")
    assert (
        "Findings that quote code which is nowhere: 1; asked again, 0 could be placed."
        in reviewed.outcome.notes
    )


def test_an_error_of_the_provider_leaves_the_review_whole(review, chat_server):
    reviewed = review(chat_server.json({"error": {"message": "no"}}, status=401), relocate="true")
    assert anchored(reviewed) == (1, "unverified")
    assert (reviewed.outcome.conclusion, reviewed.outcome.error) == (Conclusion.FINDINGS, None)
    assert any("could not be asked for again" in note for note in reviewed.outcome.notes)


def test_a_model_that_does_not_answer_costs_half_of_the_time(review, chat_server):
    reviewed = review(chat_server.raw(b"{}", delay=30), relocate="true", timeout_seconds=3)
    assert anchored(reviewed) == (1, "unverified")
    assert (reviewed.outcome.conclusion, reviewed.outcome.error) == (Conclusion.FINDINGS, None)


@pytest.mark.parametrize("inputs", [{"max_rounds": 1}, {"max_requests": 1}])
def test_no_budget_is_exceeded(review, chat_server, inputs):
    reviewed = review(relocate="true", **inputs)
    assert (anchored(reviewed), len(chat_server.bodies)) == ((1, "unverified"), 1)
    assert reviewed.outcome.conclusion is Conclusion.FINDINGS


def test_findings_that_are_placed_cost_nothing(repo, review_repo, chat_server, chat_inputs):
    placed = FINDING | {"existing_code": RIGHT}
    chat_server.add(chat_server.completion(json.dumps(REVIEW | {"findings": [placed]})))
    reviewed = review_repo(repo, **chat_inputs, relocate="true")
    assert (anchored(reviewed), len(chat_server.bodies)) == ((3, "hunk"), 1)
