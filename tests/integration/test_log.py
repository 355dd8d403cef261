"""The runner's log: a group a round with its progress, details behind debug logging, nothing raw."""

import json
import re

import pytest

REVIEW = json.dumps({"summary": "Adds f.", "findings": [], "notes": []})
PROGRESS = re.compile(
    r"::group::round (\d+): (\w+), tool calls: (\d+), result bytes: (\d+), tokens: (\w+), seconds left: (\d+)"
)


@pytest.fixture
def reviewed(action_box, chat_server, chat_inputs):
    """The lines of a review of two rounds."""

    def review(**inputs):
        calls = [
            ("c1", "read_repository_file", '{"path":"a.py"}'),
            ("c2", "read_repository_file", '{"path":"::error::gone"}'),
        ]
        chat_server.add(chat_server.completion(calls=calls), chat_server.completion(content=REVIEW))
        return action_box.run(**chat_inputs, **inputs).log.splitlines()

    return review


def test_each_round_is_a_group_with_its_numbers(reviewed):
    lines = reviewed()
    (first, second) = [PROGRESS.fullmatch(line) for line in lines if line.startswith("::group::")]
    assert first.groups()[:3] == ("1", "execute_tools", "2")
    assert int(first[4]) > 100
    assert first[5] == "18"
    assert 800 < int(first[6]) <= 900
    assert second.groups()[:4] == ("2", "return_review", "0", "0")
    assert lines.count("::endgroup::") == 2
    inside = lines[lines.index(first[0]) + 1 : lines.index("::endgroup::")]
    assert [re.sub(r"\d+", "N", line) for line in inside] == [
        "read_repository_file: N bytes, N ms",
        "read_repository_file: N bytes, N ms, refused",
    ]


def test_what_the_model_wrote_is_not_in_the_log(reviewed):
    log = "\n".join(reviewed())
    assert "a.py" not in log
    assert "gone" not in log
    assert "Adds f." not in log


def test_details_need_debug_logging(action_box, reviewed):
    assert not [line for line in reviewed() if line.startswith("::debug::")]
    action_box.environ["RUNNER_DEBUG"] = "1"
    debug = [line.removeprefix("::debug::") for line in reviewed() if line.startswith("::debug::")]
    repo = action_box.repo
    assert debug[:3] == [
        f"base {repo.base_sha}, head {repo.head_sha}",
        f"merge base {repo.base_sha}",
        "changed files: 1, selected: 1",
    ]
    assert [re.sub(r"\d+ ms", "N ms", line) for line in debug[3:]] == [
        "model: N ms, error: none",
        "model: N ms, error: none",
        "model requests: 2, retries: 0, waited: 0 s",
    ]


def test_a_refused_turn_says_why_behind_debug_logging(action_box, chat_server, chat_inputs):
    action_box.environ["RUNNER_DEBUG"] = "1"
    chat_server.add(chat_server.completion(content="::error::no review"))
    log = action_box.run(**chat_inputs, max_repairs=0).log
    assert "error: invalid_model_response" in log
    assert "no review" not in log


def test_settings_worth_a_warning_are_warnings(action_box):
    log = action_box.run(provider="offline", max_round="3").log
    assert "::warning::Unknown input 'max-round' is ignored; did you mean `max-rounds`?" in log.splitlines()


def test_an_incomplete_review_is_a_warning(action_box, chat_server, chat_inputs):
    calls = [("c1", "list_repository_files", "{}")]
    chat_server.add(chat_server.completion(calls=calls))
    result = action_box.run(**chat_inputs, max_rounds=1)
    assert (result.code, result.outputs["conclusion"]) == (0, "incomplete")
    assert [
        line for line in result.log.splitlines() if line.startswith("::warning title=pr-review::[max_rounds]")
    ]
