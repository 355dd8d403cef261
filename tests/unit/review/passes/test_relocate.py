"""A quote that is nowhere can be asked for again; what comes back is checked like the first."""

import json

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.conversation.loop import ReviewLoop
from pr_review.domain.change import Diff
from pr_review.domain.chat import Message, Role
from pr_review.domain.run import Limits
from pr_review.errors import ModelError
from pr_review.findings.reviewed_files import ReviewedFiles
from pr_review.findings.submission import Submission, SubmittedFinding
from pr_review.llm.scripted import ScriptedModel
from pr_review.review.passes.relocate import (
    MAX_QUESTION_BYTES,
    QUESTION,
    ask,
    find_lost,
    parse_answer,
    relocate,
    unfence,
)

HEAD = {"a.py": ["import os", "total = price * quantity - voucher", "return total"], "b.py": ["x = 1"]}


class Trees:
    """A head without a base."""

    def head_lines(self, path):
        return HEAD.get(path)

    def base_lines(self, _path):
        return None

    def head_text(self, _path):
        return None


@pytest.fixture
def files():
    return ReviewedFiles(Diff("0" * 40, "0" * 40, ()), Trees())


def submission(*quotes, path="a.py"):
    findings = [
        SubmittedFinding(
            severity="high",
            title=f"Title {number}",
            explanation="",
            path=path,
            line=1,
            evidence="",
            recommendation="",
            existing_code=quote,
        )
        for number, quote in enumerate(quotes, start=1)
    ]
    return Submission(summary="", findings=findings, notes=[])


def quotes_of(changed):
    return [each.existing_code for each in changed.findings]


def test_only_findings_with_a_quote_that_is_nowhere_are_lost(files):
    found = submission("total = price * voucher", "return total", None, " \n", "return  nothing")
    assert find_lost(found, files) == [0, 4]
    assert find_lost(submission("x = 1", path="nowhere.py"), files) == [0]


def test_the_question_names_each_lost_finding():
    text = ask(submission("gone()", "there", "Ünicode"), [0, 2])
    assert text.startswith(QUESTION)
    assert [json.loads(line) for line in text.removeprefix(QUESTION).splitlines()] == [
        {"finding": 1, "path": "a.py", "title": "Title 1", "existing_code": "gone()"},
        {"finding": 3, "path": "a.py", "title": "Title 3", "existing_code": "Ünicode"},
    ]


def test_the_question_is_bounded_and_holds_whole_lines():
    """What does not fit is not asked about."""
    many = submission(*["ü" * 4000] * 30)
    text = ask(many, range(30))
    assert len(text.encode()) <= MAX_QUESTION_BYTES
    assert len(ask(many, range(30)).removeprefix(QUESTION).splitlines()) == 8
    assert all(json.loads(line) for line in text.removeprefix(QUESTION).splitlines())


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ('{"quotes": [{"finding": 1, "existing_code": "x"}]}', {0: "x"}),
        ('```json\n{"quotes": []}\n```', {}),
        ('```json\n{"quotes": [{"finding": 2, "existing_code": "x"}]}\n```', {1: "x"}),
        ('{"quotes": [{"finding": "1", "existing_code": "x"}]}', {}),
        ('{"quotes": [{"finding": 1, "existing_code": "x", "line": 3}]}', {}),
        ('{"quotes": [{"finding": 1, "existing_code": null}]}', {}),
        (json.dumps({"quotes": [{"finding": 1, "existing_code": "x" * 8192}]}), {0: "x" * 8192}),
        (json.dumps({"quotes": [{"finding": 1, "existing_code": "x" * 8193}]}), {}),
        (json.dumps({"quotes": [{"finding": 1, "existing_code": "x"}] * 100}), {0: "x"}),
        (json.dumps({"quotes": [{"finding": 1, "existing_code": "x"}] * 101}), {}),
        ('[{"finding": 1, "existing_code": "x"}]', {}),
        ("I found it.", {}),
        ("", {}),
    ],
)
def test_only_the_exact_shape_is_an_answer(text, quotes):
    assert parse_answer(text) == quotes


@given(st.text())
def test_any_text_is_an_answer_or_none(text):
    assert isinstance(parse_answer(text), dict)


@given(st.text().filter(lambda text: not text.startswith("`")))
def test_unfence_is_the_inverse_of_a_fence(text):
    body = text.strip()
    assert unfence(f"```json\n{body}\n```") == body
    assert unfence(body) == body


def test_a_quote_that_stands_and_resembles_the_old_one_takes_its_place(files):
    found = submission("total = price * quantity", "return total")
    again, taken = relocate(found, {0: "total = price * quantity - voucher"}, files)
    assert (quotes_of(again), taken) == (["total = price * quantity - voucher", "return total"], 1)
    assert quotes_of(found)[0] == "total = price * quantity"


@pytest.mark.parametrize(
    ("index", "quote"),
    [
        (0, "total = price * quantity - discount"),  # nowhere again
        (0, "import os"),  # stands, but is other code
        (0, ""),
        (0, "()"),
        (1, "total = price * quantity - voucher"),  # that finding was not lost
        (2, "total = price * quantity - voucher"),  # there is no such finding
        (-1, "return total"),
    ],
)
def test_any_other_quote_changes_nothing(files, index, quote):
    found = submission("total = price * quantity", "return total")
    assert relocate(found, {index: quote}, files) == (found, 0)


@pytest.mark.parametrize(
    ("old", "taken"),
    [("total price", 1), ("total price a", 0), ("total price quantity a b", 1), ("total", 0)],
)
def test_half_of_the_words_must_be_the_same(files, old, taken):
    """Of "total price quantity voucher" and the old quote together."""
    assert relocate(submission(old), {0: HEAD["a.py"][1]}, files)[1] == taken


class Talk:
    """A loop that was asked one more thing after its review."""

    def __init__(self, toolbox, script, **limits):
        self.model = ScriptedModel(script)
        self.loop = ReviewLoop(self.model, toolbox, Limits(**limits), clock=lambda: 0.0)
        start = (Message(role=Role.SYSTEM, content="rules"), Message(role=Role.USER, content="review this"))

        async def talk():
            await self.loop.run(start)
            return await self.loop.ask("Which?")

        self.answer = anyio.run(talk)

    @property
    def actions(self):
        return [turn.protocol_action.value for turn in self.loop.record.turns]


REVIEW = json.dumps({"summary": "s", "findings": [], "notes": []})


def test_the_question_follows_the_review_as_it_came(toolbox, reply):
    review = reply(content=REVIEW)
    talk = Talk(toolbox, [review, reply(content="that one")])
    messages, tools = talk.model.requests[1]
    assert [message.role for message in messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    assert (messages[2].raw, messages[3].content) == (review.message, "Which?")
    assert tools == talk.model.requests[0][1]
    assert (talk.answer, talk.actions) == ("that one", ["return_review", "return_review"])


def test_calls_instead_of_an_answer_do_not_run(toolbox, echo, reply, call):
    talk = Talk(toolbox, [reply(content=REVIEW), reply(call())])
    assert (talk.answer, talk.actions, echo.ran) == (None, ["return_review", "refuse"], [])


@pytest.mark.parametrize(("rounds", "requests"), [(1, 1), (2, 2), (3, 2)])
def test_the_question_costs_a_round(toolbox, reply, rounds, requests):
    talk = Talk(toolbox, [reply(content=REVIEW), reply(content="x")], max_rounds=rounds)
    assert len(talk.model.requests) == requests
    assert talk.answer == ("x" if requests == 2 else None)


def test_the_artifact_names_the_request_of_the_review(toolbox, reply):
    answer = reply(content="x").model_copy(update={"request_id": "another"})
    assert Talk(toolbox, [reply(content=REVIEW), answer]).loop.record.request_id == "r1"


def test_an_answer_that_was_cut_is_an_error_for_the_caller(toolbox, reply):
    with pytest.raises(ModelError):
        Talk(toolbox, [reply(content=REVIEW), reply(content="x", finish="length")])
