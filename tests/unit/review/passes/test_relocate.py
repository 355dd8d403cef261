"""A quote that is nowhere can be asked for again; what comes back is checked like the first."""

import json

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.conversation.answer_protocol import TextAnswer
from pr_review.conversation.conversation import Conversation
from pr_review.domain.change import Diff
from pr_review.domain.chat import FinishReason, Message, Role
from pr_review.domain.run import ConversationLimits, Purpose
from pr_review.errors import ModelError
from pr_review.findings.reviewed_files import ReviewedFiles
from pr_review.findings.submission import Submission, SubmittedFinding
from pr_review.llm.scripted import ScriptedModel
from pr_review.review.passes.relocate import (
    MAX_QUESTION_BYTES,
    QUESTION,
    find_lost,
    parse_answer,
    relocate,
    take_quotes,
    unfence,
    word_question,
)

HEAD = {"a.py": ["import os", "total = price * quantity - voucher", "return total"], "b.py": ["x = 1"]}


class Trees:
    """A head without a base."""

    def head_names(self):
        return HEAD.keys()

    def real_path(self, _path):
        return None

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
    text = word_question(submission("gone()", "there", "Ünicode"), [0, 2])
    assert text.startswith(QUESTION)
    assert [json.loads(line) for line in text.removeprefix(QUESTION).splitlines()] == [
        {"finding": 1, "path": "a.py", "title": "Title 1", "existing_code": "gone()"},
        {"finding": 3, "path": "a.py", "title": "Title 3", "existing_code": "Ünicode"},
    ]


def test_the_question_is_bounded_and_holds_whole_lines():
    """What does not fit is not asked about."""
    many = submission(*["ü" * 4000] * 30)
    text = word_question(many, range(30))
    assert len(text.encode()) <= MAX_QUESTION_BYTES
    assert len(word_question(many, range(30)).removeprefix(QUESTION).splitlines()) == 8
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
    again, taken = take_quotes(found, {0: "total = price * quantity - voucher"}, files)
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
    assert take_quotes(found, {index: quote}, files) == (found, 0)


@pytest.mark.parametrize(
    ("old", "taken"),
    [("total price", 1), ("total price a", 0), ("total price quantity a b", 1), ("total", 0)],
)
def test_half_of_the_words_must_be_the_same(files, old, taken):
    """Of "total price quantity voucher" and the old quote together."""
    assert take_quotes(submission(old), {0: HEAD["a.py"][1]}, files)[1] == taken


TEXT = TextAnswer(lambda text: text or None, {})
START = (Message(role=Role.SYSTEM, content="rules"), Message(role=Role.USER, content="review this"))


class Talk:
    """A conversation that was asked one more thing after its answer."""

    def __init__(self, toolbox, script, **limits):
        self.model = ScriptedModel(script)
        self.conversation = Conversation(
            "find-1",
            Purpose.FIND,
            model=self.model,
            toolbox=toolbox,
            limits=ConversationLimits(**limits),
            answers=TEXT,
            clock=lambda: 0.0,
        )
        self.answer, self.error = anyio.run(self.talk)

    async def talk(self):
        await self.conversation.run(START)
        try:
            return await self.conversation.follow_up("Which?", TEXT), None
        except ModelError as error:
            return None, error

    @property
    def actions(self):
        return [turn.protocol_action.value for turn in self.conversation.record.turns]


def test_the_question_follows_the_answer_as_it_came(toolbox, reply):
    review = reply(text="review")
    talk = Talk(toolbox, [review, reply(text="that one")])
    messages, tools = talk.model.requests[1]
    assert [message.role for message in messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    assert (messages[2].raw, messages[3].content) == (review.message, "Which?")
    assert tools == talk.model.requests[0][1]
    assert (talk.answer, talk.actions) == ("that one", ["return_review", "return_review"])


def test_calls_instead_of_an_answer_do_not_run(toolbox, echo, reply, call):
    talk = Talk(toolbox, [reply(text="review"), reply(call())])
    assert (talk.error.code, talk.actions, echo.ran) == ("max_rounds", ["return_review", "refuse"], [])


def test_a_follow_up_with_more_rounds_may_call_tools(toolbox, echo, reply, call):
    talk = Talk(toolbox, [reply(text="review"), reply(text="no")])
    talk.model = ScriptedModel([reply(text="review"), reply(call()), reply(text="now I know")])
    conversation = Conversation(
        "find-1",
        Purpose.FIND,
        model=talk.model,
        toolbox=toolbox,
        limits=ConversationLimits(),
        answers=TEXT,
        clock=lambda: 0.0,
    )

    async def ask():
        await conversation.run(START)
        return await conversation.follow_up("Which?", TEXT, rounds=2)

    assert (anyio.run(ask), echo.ran) == ("now I know", ["a"])
    assert json.loads(talk.model.requests[2][0][-1].content)["remaining"]["rounds"] == 1


@pytest.mark.parametrize(("rounds", "requests"), [(1, 1), (2, 2), (3, 2)])
def test_the_question_costs_a_round(toolbox, reply, rounds, requests):
    talk = Talk(toolbox, [reply(text="review"), reply(text="x")], max_rounds=rounds)
    assert len(talk.model.requests) == requests
    assert talk.answer == ("x" if requests == 2 else None)


def test_the_record_names_the_request_of_the_answer(toolbox, reply):
    talk = Talk(toolbox, [reply(text="review"), reply(text="x", request_id="another")])
    assert talk.conversation.record.request_id == "r1"


def test_an_answer_that_was_cut_is_an_error_for_the_caller(toolbox, reply):
    talk = Talk(toolbox, [reply(text="review"), reply(text="x", finish=FinishReason.LENGTH)])
    assert talk.error.code == "unsupported_finish_reason"


class Lost:
    """A whole relocation over a script."""

    def __init__(self, files, toolbox, last, **limits):
        conversation = Conversation(
            "find-1",
            Purpose.FIND,
            model=ScriptedModel(last),
            toolbox=toolbox,
            limits=ConversationLimits(**limits),
            answers=TEXT,
            clock=lambda: 0.0,
        )

        async def run():
            await conversation.run(START)
            return await relocate(conversation, submission("total = price * quantity"), files)

        self.found, self.notes = anyio.run(run)


def test_a_found_quote_is_taken_and_counted(files, toolbox, reply):
    answer = json.dumps({"quotes": [{"finding": 1, "existing_code": HEAD["a.py"][1]}]})
    lost = Lost(files, toolbox, [reply(text="review"), reply(text=answer)])
    assert quotes_of(lost.found) == [HEAD["a.py"][1]]
    assert lost.notes == ("Findings that quote code which is nowhere: 1; asked again, 1 could be placed.",)


@pytest.mark.parametrize("case", ["calls instead of an answer", "no round is left", "prose"])
def test_without_an_answer_nothing_could_be_placed(files, toolbox, reply, call, case):
    last = {"calls instead of an answer": [reply(call())], "prose": [reply(text="I do not know.")]}
    rounds = {"max_rounds": 1} if case == "no round is left" else {}
    lost = Lost(files, toolbox, [reply(text="review"), *last.get(case, [])], **rounds)
    assert lost.notes == ("Findings that quote code which is nowhere: 1; asked again, 0 could be placed.",)


def test_a_model_that_cannot_be_asked_leaves_the_review_as_it_is(files, toolbox, reply):
    lost = Lost(files, toolbox, [reply(text="review"), ModelError("provider_timeout", "Too late.")])
    assert quotes_of(lost.found) == ["total = price * quantity"]
    assert lost.notes == ("The quotes of 1 findings could not be asked for again: provider_timeout.",)
