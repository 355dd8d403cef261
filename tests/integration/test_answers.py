"""What a model says is never lost: answers with slips, in whole runs over real HTTP."""

import json

import pytest

HEAD = {"src/app.py": "one = 1\ntwo = 2\nthree = 3\n"}
SOUND = {
    "severity": "low",
    "title": "A sound one",
    "explanation": "It is wrong.",
    "path": "src/app.py",
    "line": 2,
    "evidence": "two = 2",
    "recommendation": "Correct it.",
    "existing_code": "two = 2",
}
UNCLEAR = SOUND | {
    "severity": "rather bad",
    "title": "An unclear one",
    "line": 3,
    "existing_code": "three = 3",
}
NOWHERE = SOUND | {"severity": "critical", "title": "A lost one", "path": "lib/none.py", "existing_code": "x"}


def answer(*findings, **fields):
    return json.dumps({"summary": "Read.", "findings": list(findings), "notes": []} | fields)


@pytest.fixture
def repo(make_repo):
    return make_repo({"src/app.py": "one = 1\n"}, HEAD)


@pytest.fixture
def box(repo, make_box):
    box = make_box(repo.path)
    box.repo = repo
    box.write_event(repo.base_sha, repo.head_sha)
    return box


@pytest.fixture
def run(box, chat_server, chat_inputs):
    """``run(text, …, name=value)``: the action against a model that gives these answers."""

    def run(*texts, **inputs):
        chat_server.add(*(chat_server.completion(content=text) for text in texts))
        return box.run(**chat_inputs, **inputs)

    return run


def titles(result):
    return [found["title"] for found in result.artifact["findings"]]


def test_slips_are_read_as_meant_and_counted(run, chat_server):
    """One request, every finding, and a sentence a kind."""
    slips = SOUND | {
        "severity": "**High**",
        "recommendation": None,
        "line": "2",
        "cwe": 79,
        "path": "/src\\app.py:2",
    }
    text = answer(slips, notes=None, verdict="x").replace("It is wrong.", "It\tis \\d.")
    result = run(f"Here it is:\n```json\n{text}\n```")
    assert result.artifact["conclusion"] == "findings"
    [found] = result.artifact["findings"]
    assert (found["severity"], found["path"], found["line"]) == ("high", "src/app.py", 2)
    assert found["explanation"] == "It\tis \\d."
    events = result.artifact["requests"]["events"]
    assert len(chat_server.requests) == 1
    assert len(events) == len(set(events)) == 8
    assert all(event.startswith("Read as meant in the model's answer: ") for event in events)
    assert "Paths that were spelled in another way and read as meant: 1." in result.artifact["run_notes"]


def test_without_repairs_nothing_is_read_as_meant(run, chat_server):
    for text in (
        answer(SOUND | {"severity": "High"}),
        answer(SOUND).replace("It is", "It\tis"),
        f"```json\n{answer(SOUND)}\n```",
        answer(SOUND, extra=1),
    ):
        result = run(text, max_repairs=0)
        assert (result.artifact["conclusion"], result.artifact["findings"]) == ("failed", [])
        assert result.artifact["error"]["code"] == "invalid_model_response"
    assert len(chat_server.requests) == 4


def test_an_unclear_field_is_asked_for_by_name_and_never_quoted(run, chat_server):
    result = run(answer(SOUND, UNCLEAR), answer(SOUND, UNCLEAR | {"severity": "high"}))
    assert (result.artifact["conclusion"], titles(result)) == ("findings", ["An unclear one", "A sound one"])
    note = chat_server.bodies[1]["messages"][-1]["content"]
    assert "findings[1].severity: must be one of critical, high, medium, low" in note
    assert "rather bad" not in json.dumps(chat_server.bodies[1])


def test_after_the_last_repair_the_sound_findings_stay_and_the_run_is_incomplete(run, chat_server):
    result = run(*[answer(SOUND, UNCLEAR)] * 3, fail_on_incomplete="true")
    report = result.artifact
    assert (report["conclusion"], titles(result), result.code) == ("incomplete", ["A sound one"], 3)
    assert (report["error"]["code"], report["termination_reason"]) == (
        "partial_answer",
        "invalid_model_response",
    )
    assert report["refused"] == [
        {
            "number": 2,
            "title": "An unclear one",
            "path": "src/app.py",
            "reason": "severity: must be one of critical, high, medium, low",
        }
    ]
    assert report["coverage"]["reviewed"] == 1
    assert "An unclear one" in result.summary
    assert "rather bad" not in result.summary
    assert len(chat_server.requests) == 3


def test_a_gate_counts_what_is_kept(run):
    assert run(*[answer(SOUND, UNCLEAR)] * 3, fail_on="low").code == 1


@pytest.mark.parametrize(
    "text",
    [
        answer(UNCLEAR),
        answer(SOUND)[:-9],
        answer(SOUND) * 2,
        json.dumps([SOUND]),
        answer(findings={"a": SOUND}),
    ],
    ids=["nothing sound", "cut", "two", "a list", "by path"],
)
def test_nothing_sound_fails(run, chat_server, text):
    result = run(text, text, text)
    assert (result.artifact["conclusion"], result.artifact["findings"], result.code) == ("failed", [], 3)
    assert len(chat_server.requests) == 3


def test_a_model_that_sends_only_the_corrected_finding_loses_no_other(run):
    result = run(answer(SOUND, UNCLEAR), answer(UNCLEAR | {"severity": "high"}))
    assert (result.artifact["conclusion"], titles(result)) == ("findings", ["An unclear one", "A sound one"])
    assert "asked for again" in " ".join(result.artifact["requests"]["events"])


def test_a_model_that_drops_the_unclear_finding_is_not_clean(run):
    result = run(answer(UNCLEAR), answer())
    assert (result.artifact["conclusion"], result.artifact["error"]["code"]) == (
        "incomplete",
        "partial_answer",
    )
    assert [refused["title"] for refused in result.artifact["refused"]] == ["An unclear one"]


def test_the_hundred_and_first_finding_is_named(run):
    many = [SOUND | {"title": f"Title {n}", "severity": "high" if n == 100 else "low"} for n in range(101)]
    result = run(answer(*[each | {"line": None, "existing_code": f"no {n}"} for n, each in enumerate(many)]))
    report = result.artifact
    assert (report["conclusion"], len(report["findings"]) + sum(f["merged"] for f in report["findings"])) == (
        "findings",
        100,
    )
    [refused] = report["refused"]
    assert refused["title"] != "Title 100"
    assert refused["title"] in result.summary


def test_a_finding_without_a_place_fails_the_build_and_is_told_everywhere(run):
    result = run(answer(NOWHERE), fail_on="high")
    report = result.artifact
    [found] = report["findings"]
    assert (found["path"], found["anchor"], found["line"]) == ("lib/none.py", "unplaced", None)
    assert (report["conclusion"], result.code) == ("findings", 1)
    assert (result.outputs["findings-count"], result.outputs["highest-severity"]) == ("1", "critical")
    assert "A lost one" in result.summary
    assert "A lost one" in result.log  # its annotation


def test_a_path_that_fits_two_files_names_both(make_repo, make_box, chat_server, chat_inputs):
    repo = make_repo({"a/x.py": "x\n", "b/x.py": "x\n"}, {"a/x.py": "y = 1\n", "b/x.py": "y = 1\n"})
    box = make_box(repo.path)
    box.write_event(repo.base_sha, repo.head_sha)
    chat_server.add(chat_server.completion(content=answer(SOUND | {"path": "x.py", "existing_code": None})))
    [found] = box.run(**chat_inputs).artifact["findings"]
    assert (found["path"], found["candidates"]) == ("x.py", ["a/x.py", "b/x.py"])


def test_a_finding_without_a_place_is_known_in_the_next_review(run, box):
    """The baseline knows it, and nothing says that its code is gone."""
    first = run(answer(NOWHERE))
    known = box.workspace / "baseline.json"
    known.write_bytes((box.workspace / first.outputs["report-path"]).read_bytes())
    again = run(answer(NOWHERE), baseline="baseline.json", fail_on_new="low")
    assert ([found["baseline_state"] for found in again.artifact["findings"]], again.code) == (
        ["unchanged"],
        0,
    )
    silent = run(answer(), baseline="baseline.json")
    assert [found["title"] for found in silent.artifact["comparison"]["not_seen"]] == ["A lost one"]
    assert silent.artifact["comparison"]["resolved"] == []


def test_a_finding_without_a_place_can_be_suppressed(run, box):
    [found] = run(answer(NOWHERE)).artifact["findings"]
    config = f"suppress:\n  - fingerprint: '{found['fingerprint']}'\n    reason: Known.\n"
    box.repo.git("checkout", "-q", "main")
    box.repo.write({".github/pr-review.yml": config})
    box.repo.git("add", "--", ".github/pr-review.yml")
    box.repo.git("commit", "-q", "-m", "configure")
    base = box.repo.git("rev-parse", "HEAD")
    box.repo.git("checkout", "-q", "topic")
    box.repo.git("rebase", "-q", "main")
    box.write_event(base, box.repo.git("rev-parse", "HEAD"))
    result = run(answer(NOWHERE), fail_on="low")
    assert (result.code, result.artifact["findings"], len(result.artifact["suppressed"])) == (0, [], 1)


@pytest.mark.parametrize("kept", ["link", "module"])
def test_links_and_submodules_keep_their_findings(make_repo, make_box, chat_server, chat_inputs, kept):
    repo = make_repo({"a.py": "x\n"}, {"a.py": "y\n"})
    if kept == "link":
        (repo.path / "link").symlink_to("../outside")
        repo.git("add", "link")
    else:
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repo.git("commit", "-q", "-m", kept)
    box = make_box(repo.path)
    box.write_event(repo.base_sha, repo.git("rev-parse", "HEAD"))
    chat_server.add(chat_server.completion(content=answer(SOUND | {"path": kept, "existing_code": None})))
    result = box.run(**chat_inputs, fail_on="low")
    [found] = result.artifact["findings"]
    assert (found["path"], found["side"], found["in_diff"], result.code) == (kept, "RIGHT", True, 1)
