"""A whole review through real HTTP: a tool round, then the final review."""

import itertools
import json
import re

import pytest

from pr_review.domain.run import Conclusion
from pr_review.errors import TerminationReason

BASE = {"src/app.py": "def total(rows):\n    return sum(rows)\n", "README.md": "# App\n"}
HEAD = {"src/app.py": "def total(rows):\n    return sum(rows) / len(rows)\n"}
FINDING = {
    "severity": "high",
    "title": "Division by zero for an empty list",
    "explanation": "total([]) returned 0 and now raises ZeroDivisionError.",
    "path": "src/app.py",
    "line": 2,
    "evidence": "return sum(rows) / len(rows)",
    "recommendation": "Return 0 for an empty list.",
    "existing_code": "    return sum(rows) / len(rows)",
}
REVIEW = {"summary": "Averages rows.", "findings": [FINDING], "notes": []}


def rounds(server, *answers):
    server.add(*(server.completion(**answer) if isinstance(answer, dict) else answer for answer in answers))


def final(review=REVIEW):
    return {"content": json.dumps(review)}


@pytest.fixture
def repo(make_repo):
    return make_repo(BASE, HEAD)


def test_a_tool_round_then_the_final_review(repo, review_repo, chat_server, chat_inputs):
    calls = [
        ("call_1", "read_repository_file", '{"path": "src/app.py"}'),
        ("call_2", "search_repository", '{"query":"total("}'),
    ]
    rounds(chat_server, {"calls": calls}, final())
    reviewed = review_repo(repo, **chat_inputs)
    outcome = reviewed.outcome
    assert (outcome.conclusion, outcome.termination_reason) == (
        Conclusion.FINDINGS,
        TerminationReason.FINAL_REVIEW,
    )
    assert reviewed.findings == [("src/app.py", 2)]
    first, second = chat_server.bodies
    assert set(first) == {"model", "messages", "tools", "tool_choice"}
    assert (first["model"], first["tool_choice"]) == ("m-1", "auto")
    assert [m["role"] for m in second["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    assert second["messages"][:2] == first["messages"]
    assert (second["tools"], second["tool_choice"]) == (first["tools"], first["tool_choice"])
    one, two = second["messages"][3:]
    assert (one["tool_call_id"], two["tool_call_id"]) == ("call_1", "call_2")
    assert json.loads(one["content"])["content"].startswith("1: def total(rows):\n2: ")
    assert json.loads(two["content"])["matches"][0]["path"] == "src/app.py"


def test_the_assistant_message_goes_back_byte_for_byte(repo, review_repo, chat_server, chat_inputs):
    """Unknown fields, null content, key order, non-ASCII text and numbers all go back unchanged."""
    message = (
        '{"role":"assistant","reasoning_content":"Erst lesen, dann urteilen ✓","content":null,'
        '"tool_calls":[{"index":0,"id":"call_1","type":"function","extra_content":{"google":'
        '{"thought_signature":"c2ln","x":[1,2.5,true,null]}},"function":{"name":"list_repository_files",'
        '"arguments":"{\\"limit\\": 5}"}}],"refusal":null}'
    )
    envelope = '{"id":"r1","model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":%s}]}'
    body = (envelope % message).encode()
    rounds(chat_server, chat_server.raw(body, headers={"Content-Type": "application/json"}), final())
    assert review_repo(repo, **chat_inputs).outcome.conclusion is Conclusion.FINDINGS
    sent = chat_server.requests[1].body
    assert message.encode() + b',{"role":"tool"' in sent


def test_the_key_is_in_its_header_and_nowhere_else(repo, review_repo, chat_server, chat_inputs):
    """Requests hold no local path either, and neither does the result."""
    rounds(chat_server, {"calls": [("c1", "inspect_git_diff", "{}")]}, final())
    reviewed = review_repo(repo, **chat_inputs, include_trace="always")
    for request in chat_server.requests:
        assert request.headers["authorization"] == f"Bearer {chat_inputs['api_key']}"
        assert chat_inputs["api_key"].encode() not in request.body
        assert str(repo.path).encode() not in request.body
        elsewhere = {k: v for k, v in request.headers.items() if k != "authorization"}
        assert chat_inputs["api_key"] not in str(elsewhere)
    assert chat_inputs["api_key"] not in reviewed.outcome.model_dump_json()
    assert str(repo.path) not in reviewed.outcome.model_dump_json()


def test_a_tool_failure_reaches_the_model_and_the_review_goes_on(repo, review_repo, chat_server, chat_inputs):
    """A failure about a path or the repository is an ordinary result."""
    rounds(chat_server, {"calls": [("c1", "read_repository_file", '{"path":"src/missing.py"}')]}, final())
    assert review_repo(repo, **chat_inputs).outcome.conclusion is Conclusion.FINDINGS
    result = json.loads(chat_server.bodies[1]["messages"][-1]["content"])
    assert result["ok"] is False
    assert result["error"] == {
        "code": "path_not_found",
        "message": "The requested path does not exist.",
    }


def test_an_extra_argument_ends_the_review_and_nothing_runs(repo, review_repo, chat_server, chat_inputs):
    """With max-repairs 0 the first invalid call ends the review."""
    calls = [
        ("c1", "list_repository_files", "{}"),
        ("c2", "read_repository_file", '{"path":"src/app.py","command":"pytest"}'),
    ]
    rounds(chat_server, {"calls": calls})
    outcome = review_repo(repo, **chat_inputs, max_repairs=0).outcome
    assert (outcome.conclusion, outcome.exit_code) == (Conclusion.FAILED, 3)
    assert outcome.error.code == "invalid_tool_call"
    assert len(chat_server.requests) == 1
    assert [turn.tool_calls for turn in outcome.turns] == [()]


def test_each_message_but_the_last_stays_a_prefix_of_the_next_request(
    repo, review_repo, chat_server, chat_inputs
):
    """Prompt caches: the serialised messages and tools of request n stand at the start of request n + 1."""
    calls = [[(f"c{n}", "list_repository_files", json.dumps({"limit": n + 1}))] for n in range(4)]
    rounds(chat_server, *({"calls": call} for call in calls), final())
    review_repo(repo, **chat_inputs)
    bodies = [request.body for request in chat_server.requests]
    for before, after in itertools.pairwise(bodies):
        last = before.rindex(b',{"role":')
        assert after.startswith(before[:last])


def test_a_whole_review_of_an_unfinished_diff_is_never_clean(repo, review_repo, chat_server, chat_inputs):
    """A hunk that never reached the model leaves the review incomplete."""
    big = "".join(f"value_{n} = {n}\n" for n in range(20_000))
    repo.commit({"big.py": big}, "A big file")
    rounds(chat_server, final({"summary": "s", "findings": [], "notes": []}))
    outcome = review_repo(repo, **chat_inputs).outcome
    assert outcome.conclusion is Conclusion.INCOMPLETE
    assert {f.path: f.status.value for f in outcome.coverage.files}["big.py"] == "not_reviewed"
    assert outcome.exit_code == 0
    user = chat_server.bodies[0]["messages"][1]["content"]
    assert "Patch not shown, or not whole" in user


def test_a_hunk_that_was_dropped_to_fit_the_context_window_is_not_reviewed(
    make_repo, review_repo, chat_server, chat_inputs
):
    """The server refuses the request that holds both diffs; the one that it takes holds the second only."""
    files = {f"f{n}.py": "".join(f"value_{n}_{i} = '{'x' * 60}'\n" for i in range(700)) for n in range(4)}
    repo = make_repo({"README.md": "# App\n"}, files)
    calls = [(f"c{n}", "inspect_git_diff", json.dumps({"paths": [f"f{n}.py"]})) for n in (2, 3)]
    overflow = {"error": {"code": "context_length_exceeded", "message": "too long"}}
    rounds(chat_server, {"calls": calls, "usage": None}, chat_server.json(overflow, status=400))
    rounds(chat_server, final({"summary": "s", "findings": [], "notes": []}) | {"usage": None})
    outcome = review_repo(repo, **chat_inputs).outcome
    sent = chat_server.requests[-1].body
    assert (b"value_2_699" in sent, b"value_3_699" in sent) == (False, True)
    assert outcome.conclusion is Conclusion.INCOMPLETE
    status = {file.path: file.status.value for file in outcome.coverage.files}
    assert (status["f2.py"], status["f3.py"]) == ("not_reviewed", "reviewed")


@pytest.mark.parametrize(
    "path", ["./src/app.py", "b/src/app.py", "a/./src/app.py", "src//app.py", "src/app.py/"]
)
def test_a_path_written_in_another_way_is_the_changed_file(repo, review_repo, chat_server, chat_inputs, path):
    """Otherwise such a finding would be outside the diff and could never fail a build."""
    rounds(chat_server, final(REVIEW | {"findings": [FINDING | {"path": path}]}))
    outcome = review_repo(repo, **chat_inputs, fail_on="high").outcome
    [found] = outcome.review.findings
    assert (found.path, found.in_diff, outcome.exit_code) == ("src/app.py", True, 1)


def test_a_rename_that_was_never_shown_is_not_reviewed(make_repo, review_repo, chat_server, chat_inputs):
    """Nothing but its header shows it, and that does not fit any more."""
    script, name = "run: deploy\n" * 9, f"z/{'w' * 120}.yml"
    empty = {f"a{n:04}/{'x' * 100}.py": "" for n in range(1200)}
    repo = make_repo({"z.txt": script}, empty | {"z.txt": None, name: script})
    rounds(chat_server, final({"summary": "s", "findings": [], "notes": []}) | {"usage": None})
    outcome = review_repo(repo, **chat_inputs).outcome
    user = chat_server.bodies[0]["messages"][1]["content"]
    assert f"rename to {name}" not in user
    assert "The patch above is complete" not in user
    assert {file.path: file.status.value for file in outcome.coverage.files}[name] == "not_reviewed"
    assert outcome.conclusion is Conclusion.INCOMPLETE


def test_clean_needs_complete_coverage(repo, review_repo, chat_server, chat_inputs):
    rounds(chat_server, final({"summary": "s", "findings": [], "notes": []}))
    assert review_repo(repo, **chat_inputs).outcome.conclusion is Conclusion.CLEAN


READ = ("c1", "read_repository_file", '{"path":"src/app.py"}')
LOOSE = {
    "an id of an earlier turn": [{"calls": [READ]}, {"calls": [READ]}],
    "an id twice in a turn": [{"calls": [READ, READ]}],
    "no arguments": [{"calls": [("c1", "inspect_git_diff", "")]}],
    "null arguments": [{"calls": [("c1", "list_repository_files", None)]}],
    "all of them": [{"calls": [READ, READ]}, {"calls": [("c1", "inspect_git_diff", "")]}],
}


@pytest.mark.parametrize("answers", LOOSE.values(), ids=LOOSE.keys())
@pytest.mark.parametrize("profile", ["opencode", "openrouter"])
def test_what_the_default_profile_accepts_is_in_the_artifact(
    repo, review_repo, chat_server, chat_inputs, answers, profile
):
    rounds(chat_server, *answers, final())
    outcome = review_repo(repo, **chat_inputs, provider_profile=profile).outcome
    assert outcome.termination_reason is TerminationReason.FINAL_REVIEW
    put_right = [event for event in outcome.requests.events if f"Put right under profile {profile}" in event]
    assert len(put_right) == (3 if answers is LOOSE["all of them"] else 1)


@pytest.mark.parametrize("answers", LOOSE.values(), ids=LOOSE.keys())
def test_without_repairs_the_default_profile_accepts_nothing(
    repo, review_repo, chat_server, chat_inputs, answers
):
    """As the protocol itself says: the first deviation ends the review, and nothing of its round runs."""
    rounds(chat_server, *answers, final())
    outcome = review_repo(repo, **chat_inputs, provider_profile="opencode", max_repairs=0).outcome
    assert outcome.termination_reason is TerminationReason.INVALID_TOOL_CALL
    assert outcome.error.advice == "With max-repairs above 0 this is accepted."
    assert len(chat_server.requests) == 1 + (answers is LOOSE["an id of an earlier turn"])
    assert outcome.requests.events == ()
    assert outcome.turns[-1].tool_calls == ()


REFUSALS = {
    "a parameter": {"error": {"message": "Unsupported parameter: 'seed'", "param": "seed"}},
    "tools": {"error": {"message": "This model does not support tools"}},
    "reasoning": {"error": {"message": "No tools with reasoning_effort; use /v1/responses"}},
}


@pytest.mark.parametrize(("repairs", "requests"), [(0, 1), (2, 2)])
@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS.keys())
def test_without_repairs_a_refused_request_is_not_changed(
    repo, review_repo, chat_server, chat_inputs, refusal, repairs, requests
):
    rounds(chat_server, chat_server.json(refusal, status=400), final())
    given = {"provider_profile": "openai", "extra_body": '{"seed":1}', "max_repairs": repairs}
    outcome = review_repo(repo, **chat_inputs, **given).outcome
    assert len(chat_server.requests) == requests
    assert (outcome.error is None) is (requests == 2)


@pytest.mark.parametrize("stream", ["false", "true"])
def test_a_page_in_place_of_a_reply_costs_one_request(repo, review_repo, chat_server, chat_inputs, stream):
    """The page may hold what its owner did not mean to publish."""
    page = b"<!DOCTYPE html><form action='/login'>intranet-token-83c1</form>"
    chat_server.rule = lambda _: chat_server.raw(page, headers={"Content-Type": "text/html"})
    reviewed = review_repo(repo, **chat_inputs, provider_profile="opencode", stream=stream)
    error = reviewed.outcome.error
    assert (error.code, len(chat_server.requests)) == ("invalid_model_response", 1)
    assert error.detail.startswith("The endpoint answered with status 200 and a body of type text/html")
    assert "endpoint" in error.advice
    assert "intranet-token" not in reviewed.outcome.model_dump_json()


NOTHING = {"summary": "s", "findings": [], "notes": []}
LIST = ("list_repository_files", "{}")


def test_calls_that_the_budget_cannot_pay_leave_the_findings(repo, review_repo, chat_server, chat_inputs):
    """One request more, in which the model may not call; the budget is what ended the review."""
    many = [(f"c{number}", *LIST) for number in range(3)]
    rounds(chat_server, {"calls": [("c", *LIST)]}, {"calls": many}, final())
    reviewed = review_repo(repo, **chat_inputs, max_tool_calls=2)
    outcome = reviewed.outcome
    assert (outcome.conclusion, outcome.termination_reason) == (Conclusion.INCOMPLETE, "max_tool_calls")
    assert reviewed.findings == [("src/app.py", 2)]
    assert {file.status.value for file in outcome.coverage.files} == {"reviewed"}
    assert "max-tool-calls" in outcome.error.advice
    assert [body["tool_choice"] for body in chat_server.bodies] == ["auto", "auto", "none"]
    assert chat_server.bodies[2]["tools"] == chat_server.bodies[0]["tools"]
    assert json.loads(chat_server.bodies[2]["messages"][-1]["content"])["final"] is True
    assert "c0" not in json.dumps(chat_server.bodies[2]["messages"]), "nothing of the refused turn goes back"


def test_without_repairs_the_same_calls_end_the_review_with_nothing(
    repo, review_repo, chat_server, chat_inputs
):
    many = [(f"c{number}", *LIST) for number in range(3)]
    rounds(chat_server, {"calls": [("c", *LIST)]}, {"calls": many}, final())
    reviewed = review_repo(repo, **chat_inputs, max_tool_calls=2, max_repairs=0)
    assert (reviewed.outcome.conclusion, reviewed.findings) == (Conclusion.INCOMPLETE, [])
    assert [body["tool_choice"] for body in chat_server.bodies] == ["auto", "auto"]


def test_a_model_that_answers_in_its_last_round_has_reviewed(repo, review_repo, chat_server, chat_inputs):
    rounds(chat_server, {"calls": [("c", *LIST)]}, final())
    outcome = review_repo(repo, **chat_inputs, max_rounds=2).outcome
    assert (outcome.conclusion, outcome.termination_reason) == (Conclusion.FINDINGS, "final_review")
    assert [body["tool_choice"] for body in chat_server.bodies] == ["auto", "none"]


def test_late_in_the_run_the_model_is_asked_for_its_findings(repo, review_repo, chat_server, chat_inputs):
    """80 % of the time is over before the tools of the first round have run."""
    chat_server.add(
        chat_server.completion(calls=[("c", *LIST)], delay=4.2), chat_server.completion(**final())
    )
    reviewed = review_repo(repo, **chat_inputs, timeout_seconds=5)
    outcome = reviewed.outcome
    assert (outcome.conclusion, outcome.termination_reason) == (Conclusion.INCOMPLETE, "review_timeout")
    assert reviewed.findings == [("src/app.py", 2)]
    assert "timeout-seconds" in outcome.error.detail


@pytest.mark.parametrize(
    "refusal", ["Unsupported value: 'tool_choice' = none", "Bad request", "tools[0] unused"]
)
def test_a_server_that_does_not_know_none_is_asked_with_auto(
    repo, review_repo, chat_server, chat_inputs, refusal
):
    refused = chat_server.json({"error": {"message": refusal}}, status=400)
    rounds(chat_server, {"calls": [("c", *LIST)]}, refused, final())
    outcome = review_repo(repo, **chat_inputs, max_rounds=2).outcome
    assert outcome.conclusion is Conclusion.FINDINGS
    assert [body.get("tool_choice") for body in chat_server.bodies] == ["auto", "none", "auto"]
    assert "The provider refused a request with tool_choice none; sent with auto instead." in (
        outcome.requests.events
    )


def test_a_profile_without_none_always_sends_auto(repo, review_repo, chat_server, chat_inputs):
    rounds(chat_server, {"calls": [("c", *LIST)]}, final())
    review_repo(repo, **chat_inputs, max_rounds=2, provider_profile="litellm")
    assert [body["tool_choice"] for body in chat_server.bodies] == ["auto", "auto"]


def test_a_new_file_over_every_bound_is_reviewed_whole_by_further_calls(
    repo, review_repo, chat_server, chat_inputs
):
    repo.commit({"big.py": "".join(f"value_{n} = {n}\n" for n in range(17_000))}, "A file of 300 KB")
    ask = {"paths": ["big.py"], "max_bytes": 131_072}
    calls = [{"calls": [(f"c{n}", "inspect_git_diff", json.dumps(ask))], "usage": None} for n in range(2)]
    rounds(chat_server, *calls, final(NOTHING) | {"usage": None})
    outcome = review_repo(repo, **chat_inputs).outcome
    results = [json.loads(body["messages"][-1]["content"]) for body in chat_server.bodies[1:]]
    user = chat_server.bodies[0]["messages"][1]["content"]
    shown = [*user.split("\n"), *(line for result in results for line in result["diff"].split("\n"))]
    assert [line for line in shown if line.startswith("+value_")] == [
        f"+value_{n} = {n}" for n in range(17_000)
    ]
    assert (results[0]["more"], "more" in results[1]) == (True, False)
    assert results[1]["from_line"] > results[0]["from_line"] > 1
    assert outcome.conclusion is Conclusion.CLEAN


def test_a_model_that_ends_with_code_unseen_is_asked_once_and_keeps_its_findings(
    repo, review_repo, chat_server, chat_inputs
):
    repo.commit({"big.py": "".join(f"value_{n} = {n}\n" for n in range(12_000))}, "A file of 200 KB")
    call = {"calls": [("c", "inspect_git_diff", '{"paths":["big.py"],"max_bytes":131072}')], "usage": None}
    rounds(chat_server, final() | {"usage": None}, call, final(NOTHING) | {"usage": None})
    reviewed = review_repo(repo, **chat_inputs)
    question = chat_server.bodies[1]["messages"][-1]
    assert question["role"] == "user"
    assert "big.py from line" in question["content"]
    assert reviewed.findings == [("src/app.py", 2)]
    assert reviewed.outcome.conclusion is Conclusion.FINDINGS
    assert {file.status.value for file in reviewed.outcome.coverage.files} == {"reviewed"}


def test_a_model_that_stops_again_is_not_asked_a_third_time(repo, review_repo, chat_server, chat_inputs):
    repo.commit({"big.py": "".join(f"value_{n} = {n}\n" for n in range(12_000))}, "A file of 200 KB")
    rounds(chat_server, final() | {"usage": None}, final(NOTHING) | {"usage": None})
    reviewed = review_repo(repo, **chat_inputs)
    outcome = reviewed.outcome
    assert (len(chat_server.bodies), reviewed.findings) == (2, [("src/app.py", 2)])
    assert (outcome.conclusion, outcome.error) == (Conclusion.INCOMPLETE, None)
    [big] = [file for file in outcome.coverage.files if file.path == "big.py"]
    assert re.fullmatch(r"\d+ of 12000 changed lines were never shown to the reviewer", big.reason)


def test_a_deadline_while_the_model_is_asked_again_loses_nothing(repo, review_repo, chat_server, chat_inputs):
    repo.commit({"big.py": "".join(f"value_{n} = {n}\n" for n in range(12_000))}, "A file of 200 KB")
    chat_server.add(chat_server.completion(**(final() | {"usage": None})), chat_server.raw(b"{}", delay=30))
    reviewed = review_repo(repo, **chat_inputs, timeout_seconds=4)
    outcome = reviewed.outcome
    assert (outcome.termination_reason, reviewed.findings) == ("review_timeout", [("src/app.py", 2)])
    assert {file.path: file.status.value for file in outcome.coverage.files} == {
        "big.py": "not_reviewed",
        "src/app.py": "reviewed",
    }
