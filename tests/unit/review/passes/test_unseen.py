"""A model that ends before it was shown everything is asked once more, and loses nothing that it found."""

import json

import anyio
import pytest

from pr_review.conversation.conversation import Conversation
from pr_review.domain.change import ChangedFile, FileStatus
from pr_review.domain.chat import Message, Role
from pr_review.domain.run import ConversationLimits, Purpose
from pr_review.domain.shown import NOTHING_SHOWN, ShownLines
from pr_review.errors import InternalError, ModelError
from pr_review.findings.submission import parse_submission
from pr_review.git.file_patch import parse_hunks
from pr_review.llm.scripted import ScriptedModel, saying
from pr_review.review.passes.find import FINAL_REVIEW, Opened, hold_all
from pr_review.review.passes.unseen import ASKED, ask_about_unseen, find_unseen, merge


def finding(title, **fields):
    known = {
        "severity": "high",
        "title": title,
        "explanation": "e",
        "path": "a.py",
        "line": 1,
        "evidence": "x",
        "recommendation": "r",
    }
    return known | fields


def review(*findings, summary="s", notes=()):
    return json.dumps({"summary": summary, "findings": list(findings), "notes": list(notes)})


def changed(path, count=3, **fields):
    text = f"@@ -0,0 +1,{count} @@\n" + "+x\n" * count if count else ""
    return ChangedFile(
        path, FileStatus.ADDED, f"+++ b/{path}\n", hunks=tuple(parse_hunks(text)), additions=count, **fields
    )


A, B = changed("a.py"), changed("b.py")
SEEN_A = ShownLines.of("a.py", 0, 4)


def hold(toolbox, *script, shown=SEEN_A, **limits):
    """A conversation that has ended, and its model."""
    model = ScriptedModel(script)
    conversation = Conversation(
        "find-1",
        Purpose.FIND,
        model=model,
        toolbox=toolbox,
        limits=ConversationLimits(**limits),
        answers=FINAL_REVIEW,
        clock=lambda: 0.0,
    )
    opened = Opened(conversation, (Message(role=Role.USER, content="review"),), shown)
    return anyio.run(hold_all, [opened]), model


def ask(ended, *files):
    unseen = find_unseen(ended, files)
    assert unseen is not None
    [again] = anyio.run(ask_about_unseen, ended, unseen)
    return again


def titles(ended):
    return [found.title for found in ended.answer.findings]


def test_the_question_names_the_files_and_the_lines_in_a_fence(toolbox):
    ended, model = hold(toolbox, saying(review()), saying(review()), shown=ShownLines.of("a.py", 0, 3))
    ask(ended, A, B, changed("```.py"), changed("pure.py", 0))
    question = model.requests[1][0][-1].content
    assert "a.py from line 3 on\nb.py from line 1 on\n" in question
    assert "````\na.py" in question, "a name cannot close the fence"
    assert "pure.py" in question
    assert "inspect_git_diff" in question


def test_what_only_the_first_answer_found_is_kept(toolbox):
    one, two, three = finding("One"), finding("Two", line=5), finding("Three", path="b.py")
    ended, _ = hold(toolbox, saying(review(one, two, notes=["n"])), saying(review(three, one, summary="t")))
    again = ask(ended, A, B)
    assert (titles(again), again.error) == (["Three", "One", "Two"], None)
    assert (again.answer.summary, again.answer.notes) == ("t", ["n"])
    assert again.conversation.record.events == [ASKED]


@pytest.mark.parametrize(
    ("again", "count"),
    [
        ({}, 1),
        ({"title": "  ONE "}, 1),
        ({"severity": "low", "explanation": "in other words"}, 1),
        ({"line": 9}, 2),
        ({"path": "b.py"}, 2),
        ({"existing_code": "other"}, 2),
        ({"title": "Another"}, 2),
    ],
)
def test_a_finding_told_again_is_one_finding_and_another_is_another(again, count):
    first = parse_submission(review(finding("One")))
    second = parse_submission(review(finding("One") | again))
    assert len(merge(first, second).findings) == count


def test_what_was_shown_before_the_second_answer_counts(toolbox, reply, call):
    turns = [saying(review()), reply(call(arguments='{"text":"b.py"}')), saying(review())]
    ended, _ = hold(toolbox, *turns)
    again = ask(ended, A, changed("b.py", 0))
    assert again.conversation.record.covered == SEEN_A | ShownLines.of("b.py", 0, 1)


@pytest.mark.parametrize(
    ("limits", "code"), [({"max_rounds": 3}, "max_rounds"), ({"max_tool_calls": 1}, "max_tool_calls")]
)
def test_a_budget_that_ends_the_second_answer_ends_the_review(toolbox, reply, call, limits, code):
    turns = [saying(review(finding("One"))), *(reply(call(f"c{n}")) for n in range(4))]
    again = ask(hold(toolbox, *turns, **limits)[0], A, B)
    assert (titles(again), again.error.code) == (["One"], code)


def test_an_answer_that_a_budget_forced_is_merged_too(toolbox, reply, call):
    turns = [saying(review(finding("One"))), reply(call("c1"), call("c2")), saying(review(finding("Two")))]
    again = ask(hold(toolbox, *turns, max_tool_calls=1)[0], A, B)
    assert (titles(again), again.error.code) == (["Two", "One"], "max_tool_calls")


@pytest.mark.parametrize("failure", [ModelError("provider_unreachable", "No."), saying("prose")])
def test_a_model_that_fails_on_the_question_leaves_the_first_answer(toolbox, failure):
    again = ask(hold(toolbox, saying(review(finding("One"))), *[failure] * 3)[0], A, B)
    assert (titles(again), again.error) == (["One"], None)
    assert any("It did not answer: " in event for event in again.conversation.record.events)


def test_a_bug_while_asking_is_never_silent(toolbox):
    again = ask(hold(toolbox, saying(review(finding("One"))), object())[0], A, B)
    assert (titles(again), type(again.error)) == (["One"], InternalError)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_repairs": 0},
        {"max_rounds": 1},
        {"max_rounds": 2},
        {"max_tool_calls": 0},
        {"tool_context_bytes": 300},
    ],
)
def test_without_room_for_a_call_and_an_answer_nobody_is_asked(toolbox, limits):
    assert find_unseen(hold(toolbox, saying(review()), **limits)[0], [A, B]) is None


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        ([A], SEEN_A),
        ([A, changed("huge.py", 0, oversized=True)], SEEN_A),
        ([A, changed("code.bin", 0, binary=True)], SEEN_A),
        (
            [A, B],
            SEEN_A | ShownLines.of("b.py", 0, 2) | ShownLines.of_cut("b.py", 2) | ShownLines.of("b.py", 3, 4),
        ),
        ([], NOTHING_SHOWN),
    ],
)
def test_nobody_is_asked_about_what_was_shown_or_cannot_be(toolbox, files, shown):
    assert find_unseen(hold(toolbox, saying(review()), shown=shown)[0], files) is None


def test_a_model_whose_prompt_was_cut_is_not_asked(toolbox):
    ended, _ = hold(toolbox, saying(review()))
    ended[0].conversation.record.truncated_by_server = True
    assert find_unseen(ended, [A, B]) is None


def test_a_conversation_that_failed_is_not_asked(toolbox):
    assert find_unseen(hold(toolbox, ModelError("provider_unreachable", "No."))[0], [A, B]) is None
