"""One conversation from end to end: budgets, repairs, the final round, what is recorded."""

import itertools
import json

import anyio
import pytest

from pr_review.conversation.answer_protocol import TextAnswer
from pr_review.conversation.budget import FINAL_NOTE
from pr_review.conversation.conversation import Conversation
from pr_review.conversation.history import with_note
from pr_review.domain.chat import FinishReason, Message, Role, Usage
from pr_review.domain.run import ConversationLimits, ProtocolAction, Purpose
from pr_review.domain.shown import NOTHING_SHOWN, ShownLines
from pr_review.domain.strict_json import load_object
from pr_review.errors import (
    ConfigError,
    ContextOverflow,
    InvalidTurn,
    ModelError,
    ReviewStopped,
    TerminationReason,
)
from pr_review.llm.scripted import ScriptedModel

START = (Message(role=Role.SYSTEM, content="rules"), Message(role=Role.USER, content="review this"))
ANSWER = '{"summary":"s"}'
NOTES = {
    TerminationReason.INVALID_TOOL_CALL: "Discarded: invalid_tool_call.",
    TerminationReason.INVALID_MODEL_RESPONSE: "Discarded: invalid_model_response.",
}


def parse(text):
    """An answer is a JSON object with a summary."""
    answer = load_object(text)
    if not answer or "summary" not in answer:
        reason = TerminationReason.INVALID_MODEL_RESPONSE
        raise InvalidTurn(reason, f"{type(answer).__name__} is no answer")
    return answer


class Run:
    """A conversation over a script, run to its end."""

    def __init__(self, toolbox, script, *, answers=None, close_at=None, **limits):
        self.model = ScriptedModel(script)
        self.told = []
        ticks = iter(range(10**6))
        self.conversation = Conversation(
            "find-1",
            Purpose.FIND,
            model=self.model,
            toolbox=toolbox,
            limits=ConversationLimits(**limits),
            answers=answers or TextAnswer(parse, NOTES),
            clock=lambda: float(next(ticks)),
            close_at=close_at,
            on_turn=self.told.append,
        )
        self.record = self.conversation.record
        self.error = None
        self.answer = None
        try:
            self.answer = anyio.run(self.conversation.run, START)
        except (ModelError, ConfigError) as error:
            self.error = error

    @property
    def actions(self):
        return [turn.protocol_action.value for turn in self.record.turns]

    def sent(self, number):
        """Messages of request ``number``, from 0."""
        return self.model.requests[number][0]

    def result(self, request, position=-1):
        return json.loads(self.sent(request)[position].content)


def test_a_model_that_ends_at_once_costs_one_request(toolbox, reply):
    run = Run(toolbox, [reply(text=ANSWER)])
    assert run.answer == {"summary": "s"}
    assert (len(run.model.requests), run.actions) == (1, ["return_review"])


def test_results_follow_the_assistant_message_in_call_order(toolbox, echo, reply, call):
    first = reply(call("c1", arguments='{"text":"a"}'), call("c2", arguments='{"text":"b"}'))
    run = Run(toolbox, [first, reply(text=ANSWER)])
    assistant, one, two = run.sent(1)[2:]
    assert assistant.raw is first.message or assistant.raw == first.message
    assert [(m.role, m.tool_call_id, json.loads(m.content)["text"]) for m in (one, two)] == [
        (Role.TOOL, "c1", "a"),
        (Role.TOOL, "c2", "b"),
    ]
    assert one.content == '{"ok":true,"text":"a"}'
    assert echo.ran == ["a", "b"]


def test_a_tool_failure_reaches_the_model_and_the_review_goes_on(toolbox, reply, call):
    run = Run(toolbox, [reply(call(arguments='{"text":"missing"}')), reply(text=ANSWER)])
    error = {"code": "path_not_found", "message": "The requested path does not exist."}
    assert run.result(1) | {"remaining": None} == {"ok": False, "error": error, "remaining": None}
    assert run.answer


def test_a_second_invalid_call_means_that_the_first_never_ran(toolbox, echo, reply, call):
    run = Run(toolbox, [reply(call("c1"), call("c2", name="bash"))], max_repairs=0)
    assert echo.ran == []
    assert run.error.termination_reason is TerminationReason.INVALID_TOOL_CALL
    assert run.actions == ["refuse"]


def test_the_last_result_of_a_round_says_what_remains(toolbox, reply, call):
    run = Run(toolbox, [reply(call("c1"), call("c2")), reply(text=ANSWER)], max_rounds=4)
    assert "remaining" not in run.result(1, -2)
    remaining = run.result(1)["remaining"]
    assert (remaining["rounds"], remaining["calls"]) == (3, 30)
    used = sum(len(message.content.encode()) for message in run.sent(1)[-2:])
    assert 0 <= 256 * 1024 - used - remaining["bytes"] <= 384
    assert "final" not in run.result(1)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({}, False),
        ({"max_rounds": 5}, False),
        ({"max_rounds": 4}, True),
        ({"max_tool_calls": 14}, False),
        ({"max_tool_calls": 13}, True),
        ({"max_repairs": 0}, True),
    ],
)
def test_what_remains_is_told_once_it_is_little(toolbox, reply, call, limits, told):
    """Models that hear it early stop reading too soon; without repairs it is always told."""
    run = Run(toolbox, [reply(call("c1")), reply(text=ANSWER)], **limits)
    assert ("remaining" in run.result(1)) is told


def test_the_last_result_before_the_last_round_is_marked_final(toolbox, reply, call):
    """Calls in the last round end as max_rounds and do not run."""
    run = Run(toolbox, [reply(call("c1")), reply(call("c2"))], max_rounds=2)
    assert (run.result(1)["final"], run.result(1)["note"]) == (True, FINAL_NOTE)
    assert run.error.termination_reason is TerminationReason.MAX_ROUNDS
    assert (len(run.sent(-1)), run.model.final) == (4, [False, True])


@pytest.mark.parametrize(("rounds", "ok"), [(7, False), (8, True), (9, True)])
def test_the_review_has_at_most_max_rounds_turns(toolbox, reply, call, rounds, ok):
    script = [*(reply(call(f"c{n}")) for n in range(7)), reply(text=ANSWER)]
    run = Run(toolbox, script, max_rounds=rounds)
    assert (run.answer is not None) is ok
    assert len(run.model.requests) == min(rounds, 8)


def calls_of(call, count, name="c"):
    return [call(f"{name}{n}") for n in range(count)]


def test_without_repairs_nine_calls_end_the_review_and_none_of_them_runs(toolbox, echo, reply, call):
    run = Run(toolbox, [reply(*calls_of(call, 9))], max_repairs=0)
    assert isinstance(run.error, ReviewStopped)
    assert (run.error.termination_reason, echo.ran) == (TerminationReason.MAX_TOOL_CALLS, [])


def test_a_round_that_is_only_too_large_is_asked_for_again(toolbox, echo, reply, call):
    run = Run(toolbox, [reply(*calls_of(call, 9)), reply(call("d1")), reply(text=ANSWER)])
    assert (run.answer, run.error, echo.ran) == ({"summary": "s"}, None, ["a"])
    assert "more tool calls than one reply may" in run.sent(1)[-1].content
    assert run.model.final == [False, False, False]


def test_a_model_that_only_asks_for_too_much_ends_by_the_budget_of_calls(toolbox, echo, reply, call):
    run = Run(toolbox, [reply(*calls_of(call, 9, name)) for name in "abcdefgh"])
    assert (run.error.code, echo.ran, run.model.final) == ("max_tool_calls", [], [False, False, False, True])


SPENT = {
    "calls": ({"max_tool_calls": 3}, "max_tool_calls", "max_tool_calls"),
    "one call": ({"max_tool_calls": 2}, "max_tool_calls", "max_tool_calls"),
    "bytes": ({"tool_context_bytes": 1000}, "max_tool_bytes", "invalid_model_response"),
    "fewer bytes": ({"tool_context_bytes": 700}, "max_tool_bytes", "invalid_model_response"),
    "time": ({"close_at": 6.0}, "review_timeout", "review_timeout"),
}


@pytest.mark.parametrize(("limits", "code", "reason"), SPENT.values(), ids=SPENT)
def test_a_spent_budget_leaves_one_request_for_the_answer(toolbox, reply, call, limits, code, reason):
    """The calls it cannot pay do not run; the answer is kept, and the budget is what ended the review."""
    turns = [reply(call("a0")), reply(*calls_of(call, 3, "b")), reply(text=ANSWER)]
    run = Run(toolbox, turns, **limits)
    assert (run.error.code, run.error.termination_reason, run.answer) == (code, reason, None)
    assert run.conversation.cut_answer() == {"summary": "s"}
    assert (run.record.answered, run.record.summary().end.termination_reason) == (True, reason)
    assert run.model.final[-1] is True
    assert run.model.final[:-1] == [False] * (len(run.model.final) - 1)
    last = run.result(len(run.model.requests) - 1)
    assert last["final"] is True
    assert FINAL_NOTE in last["note"]
    assert run.actions[-1] == "return_review"


@pytest.mark.parametrize(("limits", "code", "reason"), SPENT.values(), ids=SPENT)
@pytest.mark.parametrize("bad", ["calls", "prose", "cut", "failed"])
def test_a_model_that_gives_nothing_in_the_final_request_ends_by_the_budget(
    toolbox, reply, call, limits, code, reason, bad
):
    last = {
        "calls": reply(call("z0")),
        "prose": reply(text="I would like to see more."),
        "cut": reply(text=ANSWER, finish=FinishReason.LENGTH),
        "failed": ModelError("provider_unreachable", "No answer."),
    }[bad]
    turns = [reply(call("a0")), reply(*calls_of(call, 3, "b")), last, reply(text=ANSWER)]
    run = Run(toolbox, turns, **limits)
    assert (run.error.code, run.error.termination_reason) == (code, reason)
    assert run.conversation.cut_answer() is None
    assert (run.record.answered, run.model.final.count(True)) == (False, 1)


@pytest.mark.parametrize("limits", [{"max_rounds": 2}, {"max_tool_calls": 1}, {"tool_context_bytes": 600}])
def test_a_model_that_answers_when_it_is_told_that_nothing_is_left_ends_normally(
    toolbox, reply, call, limits
):
    """No call of it was refused, so nothing cut it short."""
    run = Run(toolbox, [reply(call(arguments='{"text":"a","repeat":200}')), reply(text=ANSWER)], **limits)
    assert (run.answer, run.error, run.model.final) == ({"summary": "s"}, None, [False, True])
    assert run.result(1)["note"] == FINAL_NOTE


@pytest.mark.parametrize("limits", [{"max_rounds": 2}, {"max_tool_calls": 1}, {"close_at": 0.0}])
def test_without_repairs_no_request_is_a_final_one(toolbox, reply, call, limits):
    run = Run(toolbox, [reply(call()), reply(text=ANSWER)], max_repairs=0, **limits)
    assert (run.answer, run.model.final) == ({"summary": "s"}, [False, False])
    assert "note" not in run.result(1)


def test_late_in_the_run_the_first_request_is_the_final_one(toolbox, reply):
    run = Run(toolbox, [reply(text=ANSWER)], close_at=0.0)
    assert run.sent(0)[-1].content == f"review this\n\n{FINAL_NOTE}"
    assert (run.error.code, run.conversation.cut_answer()) == ("review_timeout", {"summary": "s"})


def test_a_repair_that_leaves_one_round_says_that_it_is_the_last(toolbox, reply, call):
    run = Run(toolbox, [reply(call()), reply(text="prose"), reply(text=ANSWER)], max_rounds=3)
    assert (run.answer, run.model.final) == ({"summary": "s"}, [False, False, True])
    assert run.result(2)["final"] is True
    assert run.result(2)["note"].endswith(FINAL_NOTE)


def test_a_conversation_can_go_on_to_a_second_answer(toolbox, reply, call):
    """What is shown on the way counts once the second answer has come."""
    turns = [reply(text=ANSWER), reply(call(arguments='{"text":"a.py"}')), reply(text='{"summary":"t"}')]
    run = Run(toolbox, turns)
    assert run.conversation.may_go_on
    assert anyio.run(run.conversation.go_on, "And a.py?") == {"summary": "t"}
    assert [message.role.value for message in run.sent(1)[-2:]] == ["assistant", "user"]
    assert run.record.covered == ShownLines.of("a.py", 0, 1)


def test_a_second_answer_that_does_not_come_leaves_what_the_first_covered(toolbox, reply, call):
    run = Run(toolbox, [reply(text=ANSWER), reply(call(arguments='{"text":"a.py"}'))], max_rounds=3)
    with pytest.raises(ModelError, match="script_ended"):
        anyio.run(run.conversation.go_on, "And a.py?")
    assert (run.record.answered, run.record.covered) == (True, NOTHING_SHOWN)


@pytest.mark.parametrize(
    "limits", [{"max_rounds": 2}, {"max_tool_calls": 0}, {"max_repairs": 0}, {"tool_context_bytes": 300}]
)
def test_a_conversation_goes_on_only_with_room_for_a_call_and_an_answer(toolbox, reply, limits):
    assert not Run(toolbox, [reply(text=ANSWER)], **limits).conversation.may_go_on


def test_ids_stay_unique_across_rounds(toolbox, reply, call):
    run = Run(toolbox, [reply(call("c1")), reply(call("c1"))], max_repairs=0)
    assert run.error.termination_reason is TerminationReason.INVALID_TOOL_CALL


def test_a_bad_turn_is_dropped_whole_and_a_note_stays(toolbox, echo, reply, call):
    """Nothing of it runs or is sent back; its ids and calls do not count."""
    bad = reply(call("c2", name="bash"))
    script = [reply(call("c1")), bad, reply(call("c2")), reply(text=ANSWER)]
    run = Run(toolbox, script)
    assert run.answer
    assert run.actions == ["execute_tools", "repair", "execute_tools", "return_review"]
    assert echo.ran == ["a", "a"]
    repaired, later = run.sent(2), run.sent(3)
    assert len(repaired) == len(run.sent(1))
    assert repaired[:-1] == run.sent(1)[:-1]
    assert json.loads(repaired[-1].content)["note"] == NOTES[TerminationReason.INVALID_TOOL_CALL]
    assert later[: len(repaired)] == repaired
    assert "bash" not in str([message.content for message in later])


def test_a_bad_first_turn_puts_the_note_into_the_user_message(toolbox, reply):
    run = Run(toolbox, [reply(text="Looks good to me"), reply(text=ANSWER)])
    user = run.sent(1)[-1]
    assert user.role is Role.USER
    assert user.content == "review this\n\nDiscarded: invalid_model_response."
    assert len(run.sent(1)) == 2


def test_an_invalid_envelope_is_repaired_like_an_invalid_answer(toolbox, reply):
    bad = InvalidTurn(TerminationReason.INVALID_MODEL_RESPONSE, "two choices")
    assert Run(toolbox, [bad, reply(text=ANSWER)]).actions == ["repair", "return_review"]


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_at_most_max_repairs_turns_are_repaired(toolbox, reply, allowed):
    texts = ["one", "[]", "{}", "null"]
    run = Run(toolbox, [reply(text=text) for text in texts], max_repairs=allowed)
    assert run.actions == ["repair"] * allowed + ["refuse"]
    assert run.error.termination_reason is TerminationReason.INVALID_MODEL_RESPONSE


def test_three_identical_failures_in_a_row_stop_whatever_max_repairs_says(toolbox, reply):
    run = Run(toolbox, [reply(text="prose")] * 9, max_repairs=9, max_rounds=20)
    assert run.actions == ["repair", "repair", "refuse"]


def test_a_good_turn_between_failures_starts_the_count_again(toolbox, reply, call):
    prose = reply(text="prose")
    script = [prose, prose, reply(call("c1")), prose, prose, reply(text=ANSWER)]
    run = Run(toolbox, script, max_repairs=9, max_rounds=20)
    assert run.answer


def test_repairs_cost_rounds(toolbox, reply):
    run = Run(toolbox, [reply(text="x"), reply(text=ANSWER)], max_rounds=1)
    assert run.actions == ["refuse"]


def test_a_cut_answer_is_never_repaired(toolbox, reply):
    run = Run(toolbox, [reply(text=ANSWER, finish=FinishReason.LENGTH), reply(text=ANSWER)])
    assert run.error.termination_reason is TerminationReason.UNSUPPORTED_FINISH_REASON
    assert run.actions == ["refuse"]


@pytest.mark.parametrize("wanted", [10, 1000, 100_000])
def test_tool_results_never_exceed_their_budget(toolbox, reply, call, wanted):
    """A result is cut to fit; a call with nothing left ends the conversation."""
    arguments = json.dumps({"text": "é" * 10, "repeat": wanted})
    script = [reply(*(call(f"{n}-{k}", arguments=arguments) for k in range(8))) for n in range(4)]
    run = Run(toolbox, [*script, reply(text=ANSWER)], tool_context_bytes=2000)
    assert run.error.termination_reason is TerminationReason.INVALID_MODEL_RESPONSE
    results = [m for m in run.model.requests[-1][0] if m.role is Role.TOOL]
    assert sum(len(m.content.encode()) for m in results) <= 2000


def test_the_trace_previews_results_and_counts_them_whole(toolbox, reply, call):
    """The preview is at most 4 KiB of UTF-8 and never splits a character."""
    arguments = json.dumps({"text": "é", "repeat": 10_000})
    run = Run(toolbox, [reply(call(arguments=arguments)), reply(text=ANSWER)])
    [traced] = run.record.trace[0].tool_calls
    content = run.sent(1)[-1].content
    assert traced.result_bytes == len(content.encode())
    assert content.startswith(traced.result_preview)
    assert 4094 <= len(traced.result_preview.encode()) <= 4096
    assert traced.arguments == {"text": "é", "repeat": 10_000}
    assert (traced.id, traced.name, traced.ok) == ("c1", "echo", True)


def test_turns_hold_no_argument_and_no_result(toolbox, reply, call):
    run = Run(toolbox, [reply(call(arguments='{"text":"private"}')), reply(text=ANSWER)])
    turns = json.dumps([turn.model_dump() for turn in run.record.turns])
    assert "private" not in turns
    assert [turn.round for turn in run.record.turns] == [1, 2]


def test_each_turn_is_told_as_it_is_recorded(toolbox, reply, call):
    run = Run(toolbox, [reply(call()), reply(text=ANSWER)])
    assert run.told == run.record.turns
    first, last = run.told
    assert (first.round, first.protocol_action) == (1, ProtocolAction.EXECUTE_TOOLS)
    assert [told.result_bytes for told in first.tool_calls] == [len(run.sent(1)[-1].content.encode())]
    assert (last.round, last.tool_calls) == (2, ())


def test_what_the_first_messages_show_is_recorded_from_the_start(toolbox, reply):
    conversation = Run(toolbox, [reply(text=ANSWER)]).conversation
    lines = ShownLines.of("a.py", 0, 9)

    async def run():
        await conversation.run(START, lines)

    with pytest.raises(ModelError, match="script_ended"):
        anyio.run(run)
    assert conversation.record.shown == lines


def test_shown_hunks_and_model_identity_are_recorded(toolbox, reply, call):
    run = Run(toolbox, [reply(call(arguments='{"text":"a.py"}')), reply(text=ANSWER)])
    assert run.record.shown == run.record.covered == ShownLines.of("a.py", 0, 1)
    assert (run.record.model, run.record.request_id) == ("m-1", "r1")


OVERFLOW = ContextOverflow("Too long.", code="context_overflow", request_bytes=1000)


def long_call(call, call_id, name):
    """A call whose result shows the hunk of ``name`` and is long."""
    return call(call_id, arguments=json.dumps({"text": name, "repeat": 1}))


def test_a_hunk_is_shown_once_a_request_that_holds_it_whole_was_answered(toolbox, reply, call):
    """A result that only went out as a stub has shown nothing; one that was read before has."""
    turns = [
        reply(long_call(call, "c1", "read.py")),
        reply(long_call(call, "c2", "stub.py"), long_call(call, "c3", "fits.py")),
        OVERFLOW,
        reply(text=ANSWER),
    ]
    run = Run(toolbox, turns)
    assert run.record.shown == ShownLines.of("read.py", 0, 1) | ShownLines.of("fits.py", 0, 1)
    unanswered = Run(toolbox, [turns[0], ModelError("provider_unreachable", "No answer.")])
    assert unanswered.record.shown == NOTHING_SHOWN


def test_a_conversation_that_overflows_is_shrunk_once_and_sent_again(toolbox, reply, call):
    """The oldest results become stubs, calls and results stay paired, and no round is spent for it."""
    turns = [reply(call("c1"), call("c2"), call("c3")), OVERFLOW, reply(text=ANSWER)]
    run = Run(toolbox, turns)
    whole, stubbed = run.sent(1), run.sent(2)
    assert run.answer
    assert [message.tool_call_id for message in stubbed] == [message.tool_call_id for message in whole]
    assert [json.loads(m.content)["ok"] for m in stubbed if m.role is Role.TOOL] == [False, False, True]
    assert [turn.round for turn in run.record.turns] == [1, 2]
    assert run.record.events == [
        "The context window overflowed; the oldest tool results were replaced by stubs."
    ]


def test_a_conversation_that_overflows_again_ends(toolbox, reply, call):
    run = Run(toolbox, [reply(call("c1"), call("c2")), OVERFLOW, OVERFLOW])
    assert (run.error.code, run.actions) == ("context_overflow", ["execute_tools", "refuse"])
    again = Run(toolbox, [reply(call("c1"), call("c2")), OVERFLOW, reply(call("c3")), OVERFLOW])
    assert again.error.code == "context_overflow"


def test_a_conversation_without_old_results_cannot_be_shrunk(toolbox, reply, call):
    assert Run(toolbox, [OVERFLOW]).error.code == "context_overflow"
    run = Run(toolbox, [reply(call("c1")), OVERFLOW])
    assert (run.error.code, len(run.model.requests)) == ("context_overflow", 2)


def test_a_prompt_that_was_cut_here_was_not_cut_by_the_server(toolbox, reply, call):
    def turn(*calls, tokens, text=None):
        return reply(*calls, text=text, usage=Usage(prompt_tokens=tokens))

    large = [call(f"c{n}", arguments=json.dumps({"text": "x" * 40_000})) for n in range(2)]
    first, last = turn(*large, tokens=100), turn(tokens=200, text=ANSWER)
    assert Run(toolbox, [first, last]).record.truncated_by_server
    assert not Run(toolbox, [first, OVERFLOW, last]).record.truncated_by_server


def test_usage_totals_only_what_was_reported(toolbox, reply, call):
    bare = reply(call()).model_copy(update={"usage": None})
    partial = reply(text=ANSWER).model_copy(update={"usage": Usage(prompt_tokens=5)})
    assert Run(toolbox, [bare, partial]).record.usage == Usage(prompt_tokens=5)
    none = Run(toolbox, [reply(text=ANSWER).model_copy(update={"usage": None})])
    assert none.record.usage is None


def test_what_is_known_survives_an_error(toolbox, reply, call):
    run = Run(toolbox, [reply(call()), ModelError("provider_unreachable", "No answer.")])
    assert run.actions == ["execute_tools", "refuse"]
    assert run.record.turns[-1].error == "provider_unreachable"


def test_earlier_messages_never_change(toolbox, reply, call):
    """Prompt caches: request n is a prefix of request n + 1, but for a repair note on its last message."""
    script = [reply(call(f"c{n}")) for n in range(6)]
    script.insert(2, reply(text="prose"))
    run = Run(toolbox, [*script, reply(text=ANSWER)])
    sent = [messages for messages, _ in run.model.requests]
    for before, after in itertools.pairwise(sent):
        assert after[: len(before) - 1] == before[:-1]
    assert all(specs == toolbox.specs for _, specs in run.model.requests)


def test_the_same_note_is_not_repeated():
    message = Message(role=Role.TOOL, content='{"ok":true}', tool_call_id="c")
    once = with_note(message, "n1")
    assert with_note(once, "n1") == once
    assert json.loads(with_note(once, "n2").content)["note"] == "n1 n2"
    user = with_note(START[1], "n1")
    assert with_note(user, "n1") == user


def test_a_server_that_cuts_the_prompt_is_noticed(toolbox, reply):
    """Prompt tokens far below what any tokenizer makes of the text."""
    big = (Message(role=Role.USER, content="def f(x): return x\n" * 2000),)
    for tokens, noticed in ((9000, False), (2048, True)):
        answer = reply(text=ANSWER, usage=Usage(prompt_tokens=tokens))
        conversation = Conversation(
            "find-1",
            Purpose.FIND,
            model=ScriptedModel([answer]),
            toolbox=toolbox,
            limits=ConversationLimits(),
            answers=TextAnswer(parse, NOTES),
            clock=lambda: 0.0,
        )
        anyio.run(conversation.run, big)
        assert conversation.record.truncated_by_server is noticed


def test_a_prompt_that_does_not_grow_is_noticed(toolbox, reply, call):
    """A context window that is full: text is added and the token count stays."""
    arguments = json.dumps({"text": "x", "repeat": 20_000})
    full = [
        reply(call(f"c{n}", arguments=arguments)).model_copy(update={"usage": Usage(prompt_tokens=4096)})
        for n in range(2)
    ]
    run = Run(toolbox, [*full, reply(text=ANSWER)])
    assert run.record.truncated_by_server


class CollectedNotes:
    """An answer that calls collect and a call ends, as in a toolset that reports findings one by one."""

    repair_notes = NOTES

    def read_text(self, text, calls):
        return [*self.collected(calls), text]

    def settle(self, last, _refused):
        return last

    def read_calls(self, calls):
        done = calls[-1].call.arguments["text"] == "done"
        return self.collected(calls) if done else None

    def read_cut(self, calls):
        return self.collected(calls) or None

    @staticmethod
    def collected(calls):
        texts = [done.call.arguments["text"] for done in calls if done.result.ok]
        return [text for text in texts if text != "done"]


def note(call, call_id, text):
    return call(call_id, arguments=json.dumps({"text": text}))


def test_a_call_can_end_a_conversation_without_a_further_request(toolbox, reply, call):
    script = [reply(note(call, "c1", "one"), note(call, "c2", "missing")), reply(note(call, "c3", "done"))]
    run = Run(toolbox, script, answers=CollectedNotes())
    assert (run.answer, len(run.model.requests)) == (["one"], 2)
    assert (run.record.answered, run.record.summary().end.termination_reason) == (True, "final_review")


def test_a_text_can_end_a_conversation_whose_calls_answered(toolbox, reply, call):
    run = Run(toolbox, [reply(note(call, "c1", "one")), reply(text="last")], answers=CollectedNotes())
    assert run.answer == ["one", "last"]


def test_a_conversation_that_is_cut_keeps_what_its_calls_answered(toolbox, reply, call):
    run = Run(toolbox, [reply(note(call, "c1", "one"))], answers=CollectedNotes(), max_rounds=1)
    assert (run.error.code, run.conversation.cut_answer()) == ("max_rounds", None)
    script = [reply(note(call, "c1", "one")), reply(note(call, "c2", "two"))]
    run = Run(toolbox, script, answers=CollectedNotes(), max_rounds=2)
    assert (run.error.code, run.conversation.cut_answer()) == ("max_rounds", ["one"])
    assert Run(toolbox, [reply(text="prose")], max_repairs=0).conversation.cut_answer() is None


class Partial(TextAnswer):
    """Answers are numbers; of refused ones, the sum of their digits can be kept."""

    def __init__(self):
        super().__init__(self.read, NOTES, self.join_digits)

    @staticmethod
    def read(text):
        if not text.isdigit():
            reason = TerminationReason.INVALID_MODEL_RESPONSE
            raise InvalidTurn(reason, f"{len(text)} characters", faults=("a: must be b", "c: must be d"))
        return [int(text)]

    @staticmethod
    def join_digits(last, refused):
        kept = [sum(map(int, filter(str.isdigit, text))) for text in refused]
        return [*(last or []), *filter(None, kept)] or None


def test_the_repair_note_names_the_field_and_the_rule(toolbox, reply):
    run = Run(toolbox, [reply(text="x"), reply(text="1")], answers=Partial())
    note = f"{NOTES[TerminationReason.INVALID_MODEL_RESPONSE]} What was wrong: a: must be b; c: must be d"
    assert run.sent(1)[-1].content.endswith(note)


def test_what_can_be_kept_of_refused_answers_ends_the_conversation(toolbox, reply):
    """After the last repair, and when the model does not get better; the turn still says what was wrong."""
    run = Run(toolbox, [reply(text=text) for text in ("x12", "none", "x-4")], answers=Partial())
    assert (run.answer, run.actions) == ([3, 4], ["repair", "repair", "return_review"])
    assert run.record.turns[-1].error == "invalid_model_response"
    assert (run.record.answered, run.record.error) == (True, None)
    stuck = Run(toolbox, [reply(text="x1")] * 3, answers=Partial(), max_repairs=9)
    assert (stuck.answer, stuck.actions[-1]) == ([1, 1, 1], "return_review")


def test_a_conversation_of_which_nothing_can_be_kept_fails(toolbox, reply):
    run = Run(toolbox, [reply(text="none")] * 3, answers=Partial())
    assert (run.error.code, run.actions[-1]) == ("invalid_model_response", "refuse")


def test_an_answer_after_a_repair_is_joined_with_what_was_refused(toolbox, reply):
    assert Run(toolbox, [reply(text="x5"), reply(text="7")], answers=Partial()).answer == [7, 5]


def test_a_bad_call_is_no_refused_answer(toolbox, reply, call):
    script = [reply(call("c1", name="bash"), text="9"), reply(text="7")]
    assert Run(toolbox, script, answers=Partial()).answer == [7]


def test_a_conversation_that_fails_keeps_what_it_had_answered(toolbox, reply):
    run = Run(toolbox, [reply(text="x5"), ModelError("provider_unreachable", "No.")], answers=Partial())
    assert (run.error.code, run.conversation.cut_answer()) == ("provider_unreachable", [5])


def test_arguments_with_slips_run_when_turns_may_be_repaired(toolbox, echo, reply, call):
    slips = [reply(call(arguments='{"text": "a\tb\\d",}')), reply(text=ANSWER)]
    run = Run(toolbox, slips)
    assert (run.answer, echo.ran) == ({"summary": "s"}, ["a\tb\\d"])
    assert [event.rpartition(": ")[2] for event in run.record.events] == [
        "a comma after the last member.",
        "a lone backslash in a string.",
        "raw control characters in a string.",
    ]
    strict = Run(toolbox, slips, max_repairs=0)
    assert (strict.error.code, len(echo.ran), strict.record.events) == ("invalid_tool_call", 1, [])


def test_the_summary_names_the_conversation_and_its_end(toolbox, reply, call):
    run = Run(toolbox, [reply(call()), reply(text=ANSWER)])
    summary = run.record.summary()
    assert (summary.id, summary.purpose, summary.model, summary.turns) == ("find-1", "find", "m-1", 2)
    assert (summary.usage.total_tokens, summary.end.termination_reason, summary.end.error) == (
        220,
        "final_review",
        None,
    )
    assert {turn.conversation for turn in (*run.record.turns, *run.record.trace)} == {"find-1"}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ModelError("provider_unreachable", "No answer."), None),
        (ConfigError("authentication_failed", "The key was refused."), None),
        (ReviewStopped(TerminationReason.MAX_ROUNDS, "Spent.", code="max_requests"), "max_rounds"),
    ],
)
def test_the_summary_names_what_ended_it(toolbox, error, reason):
    summary = Run(toolbox, [error]).record.summary()
    assert (summary.end.error.code, summary.end.termination_reason) == (error.code, reason)
