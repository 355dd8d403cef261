from pathlib import Path

import anyio
import pytest

from pr_review.checks.ruff import Ruff
from pr_review.domain.chat import FinishReason, RequestedCall
from pr_review.domain.run import MAX_CALLS_PER_ROUND
from pr_review.offline.offline_model import OfflineModel

pytestmark = pytest.mark.anyio

CHANGE = {"a.py": "x = undefined\n", "b.js": "debugger;\n", "c.md": "text\n"}


async def test_a_review_asks_for_diffs_reads_files_and_stops(linter, driver_of, answers_for):
    driver = driver_of(OfflineModel(list(CHANGE), linter), answers_for(CHANGE))
    review = await driver.run()
    names = [[call.name for call in reply.calls] for reply in driver.replies]
    assert names == [["inspect_git_diff"] * 3, ["read_repository_file"] * 3, []]
    places = [(finding["path"], finding["line"]) for finding in review["findings"]]
    assert places == [("a.py", 1), ("b.js", 1)]
    assert review["notes"] == []


async def test_turns_are_those_of_the_port(linter, driver_of, answers_for):
    driver = driver_of(OfflineModel(["a.py"], linter), answers_for(CHANGE))
    await driver.run()
    first, second, last = driver.replies
    assert first.calls == (
        RequestedCall(
            id="offline-1", name="inspect_git_diff", arguments={"paths": ["a.py"], "max_bytes": 131072}
        ),
    )
    assert second.calls == (
        RequestedCall(
            id="offline-2", name="read_repository_file", arguments={"path": "a.py", "start_line": 1}
        ),
    )
    assert (first.finish, first.text, first.usage) == (FinishReason.TOOL_CALLS, None, None)
    assert (last.finish, last.calls) == (FinishReason.STOP, ())
    assert [reply.request_id for reply in driver.replies] == ["offline-1", "offline-2", "offline-3"]
    assert {reply.model for reply in driver.replies} == {"offline"}
    assert [reply.finish_word for reply in driver.replies] == ["tool_calls", "tool_calls", "stop"]


async def test_no_turn_has_more_calls_than_a_round_may_and_no_id_comes_twice(linter, driver_of, answers_for):
    files = {f"{number:02}.md": "x\n" for number in range(30)}
    driver = driver_of(OfflineModel(list(files), linter), answers_for(files))
    await driver.run()
    calls = [reply.calls for reply in driver.replies]
    assert max(map(len, calls)) == MAX_CALLS_PER_ROUND
    ids = [call.id for round_calls in calls for call in round_calls]
    assert len(ids) == len(set(ids)) == 60


@pytest.mark.parametrize("total", [399, 400, 401, 1201])
async def test_a_long_file_is_read_to_its_last_line(linter, driver_of, answers_for, total):
    files = {"a.py": "x = 1\n" * (total - 1) + "y = undefined\n"}
    review = await driver_of(OfflineModel(["a.py"], linter), answers_for(files)).run()
    assert [finding["line"] for finding in review["findings"]] == [total]
    assert review["notes"] == []


async def test_the_answer_names_the_checks_of_each_file_and_the_rule_of_each_finding(
    linter, driver_of, answers_for
):
    review = await driver_of(OfflineModel(list(CHANGE), linter), answers_for(CHANGE)).run()
    assert list(review["checks"]) == list(CHANGE)
    assert "ruff" in review["checks"]["a.py"]
    assert review["checks"]["c.md"] == ["conflict-markers", "secrets"]
    assert [finding["rule"] for finding in review["findings"]] == ["F821", "debugger-left"]
    assert review["checked_in_part"] == []


async def test_a_failed_diff_is_noted_and_the_other_files_are_reviewed(linter, driver_of, answers_for):
    def answer(name, arguments):
        if arguments.get("paths") == ["c.md"]:
            return {"ok": False, "error": {"code": "path_not_in_diff", "message": "m"}}
        return answers_for(CHANGE)(name, arguments)

    review = await driver_of(OfflineModel(list(CHANGE), linter), answer).run()
    assert review["notes"] == [
        "`c.md`: its diff could not be inspected (path_not_in_diff); it was not checked."
    ]
    assert len(review["findings"]) == 2
    assert "c.md" not in review["checks"]


async def test_a_file_that_cannot_be_read_whole_is_known(linter, driver_of, answers_for):
    """Its added lines are checked; of a file without any there is nothing to read."""

    def answer(name, arguments):
        if arguments.get("path") == "c.md":
            return {"ok": False, "error": {"code": "binary_file", "message": "m"}}
        return answers_for(CHANGE)(name, arguments)

    review = await driver_of(OfflineModel(list(CHANGE), linter), answer).run()
    assert review["checked_in_part"] == ["c.md"]
    assert review["checks"]["c.md"] == ["conflict-markers", "secrets"]
    assert review["not_run"] == {}


async def test_checks_that_need_the_whole_file_did_not_run_on_one_that_cannot_be_read(
    linter, driver_of, answers_for
):
    def answer(name, arguments):
        if arguments.get("path") in {"a.py", "b.js"}:
            return {"ok": False, "error": {"code": "file_too_large", "message": "m"}}
        return answers_for(CHANGE)(name, arguments)

    review = await driver_of(OfflineModel(list(CHANGE), linter), answer).run()
    why = "did not run: the file could not be read whole"
    assert review["not_run"] == {
        "a.py": f"left-overs, tls-verification, ruff {why}",
        "b.js": f"left-overs, tls-verification {why}",
    }


async def test_without_ruff_the_answer_says_so(driver_of, answers_for):
    review = await driver_of(OfflineModel(list(CHANGE), None), answers_for(CHANGE)).run()
    assert review["not_run"] == {"a.py": "ruff did not run: it is not installed"}
    assert [finding["path"] for finding in review["findings"]] == ["b.js"]


async def test_nothing_to_review_is_a_review(linter, driver_of, answers_for):
    review = await driver_of(OfflineModel([], linter), answers_for({})).run()
    assert review["findings"] == []
    assert "0 added lines in 0 files" in review["summary"]


async def test_a_path_given_twice_is_reviewed_once(linter, driver_of, answers_for):
    review = await driver_of(OfflineModel(["a.py", "a.py"], linter), answers_for(CHANGE)).run()
    assert len(review["findings"]) == 1


async def test_other_results_and_extra_keys_are_ignored(linter, driver_of, answers_for):
    def answer(name, arguments):
        return answers_for(CHANGE)(name, arguments) | {"remaining": {"rounds": 1}, "final": True}

    assert len((await driver_of(OfflineModel(["a.py"], linter), answer).run())["findings"]) == 1


async def test_cancelling_ends_a_running_ruff_at_once(tmp_path, driver_of, answers_for):
    marker = tmp_path / "started"
    binary = tmp_path / "ruff"
    binary.write_text(f"#!/bin/sh\necho $$ > {marker}.new; mv {marker}.new {marker}; exec sleep 60\n")
    binary.chmod(0o755)
    driver = driver_of(OfflineModel(["a.py"], Ruff(binary, tmp_path, lambda: 60)), answers_for(CHANGE))

    async def until(condition):
        while not condition():  # noqa: ASYNC110 -- the process cannot set an event
            await anyio.sleep(0.01)

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(driver.run)
            await until(marker.exists)
            group.cancel_scope.cancel()
        await until(lambda: not Path(f"/proc/{marker.read_text().strip()}/exe").exists())
