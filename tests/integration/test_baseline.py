"""One review after another: what is new, unchanged, resolved and not seen, and who may say what is known."""

import json
import os
import shutil

import pytest

REPORT = "pr-review-report/review.json"
BASELINE = "baseline/review.json"
BASE = "".join(f"value_{number} = {number}\n" for number in range(40))
MUTABLE = "\n\ndef collect(items=[]):\n    return items\n"
BARE = "\n\ndef load(path):\n    try:\n        return open(path).read()\n    except:\n        return None\n"
FIXED = "\n\ndef collect(items=()):\n    return items\n"
KEY = "AKIA" + "Z7Q2M4X9K1P8R3T6"  # of the shape of a key, and nobody's
FOUND = {
    "severity": "high",
    "title": "Values are wrong",
    "explanation": "e",
    "path": "shop.py",
    "line": 1,
    "evidence": "e",
    "recommendation": "r",
    "existing_code": "def collect(items=[]):",
}


@pytest.fixture
def box(make_repo, make_box):
    """A pull request with two defects that the rules prove."""
    repo = make_repo(
        {"shop.py": BASE, "old.py": "one = 1\ntwo = 2\n"}, {"shop.py": BASE + MUTABLE + BARE, "old.py": None}
    )
    box = make_box(repo.path)
    box.repo = repo
    box.write_event(repo.base_sha, repo.head_sha)
    return box


def keep(box, name=BASELINE, change=lambda text: text):
    """What a workflow does between two runs: the earlier artifact comes to where ``baseline`` looks."""
    target = box.workspace / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(change((box.workspace / REPORT).read_text(encoding="utf-8")), encoding="utf-8")


def push(box, files):
    """Commit to the pull request; what lies around untracked stays so."""
    box.repo.write(files)
    box.repo.git("add", "--", *files)
    box.repo.git("commit", "-q", "--allow-empty", "-m", "push")
    box.write_event(box.repo.base_sha, box.repo.git("rev-parse", "HEAD"))


def edited(**fields):
    """A change of a JSON text's own fields."""
    return lambda text: json.dumps(json.loads(text) | fields)


def deltas(result):
    return {found["title"]: found["baseline_state"] for found in result.artifact["findings"]}


def counts(result):
    compared = result.artifact["comparison"]
    lists = len(compared["resolved"]), len(compared["not_seen"])
    return (compared["new"], compared["unchanged"], *lists)


def says(server, *findings):
    """The model's next answer."""
    review = {"summary": "s", "findings": list(findings), "notes": []}
    server.add(server.completion(json.dumps(review)))


def note_on(result):
    """The one note of the run that speaks of the baseline."""
    [note] = [note for note in result.artifact["run_notes"] if "baseline" in note]
    return note


def test_before_the_first_review_everything_is_new(box):
    """The input is set once and for all; the file is not there yet."""
    result = box.run(provider="offline", baseline=BASELINE, fail_on_new="low")
    assert result.code == 1
    assert set(deltas(result).values()) == {"new"}
    assert result.artifact["comparison"] is None
    assert note_on(result).startswith("There is no baseline at baseline/review.json")


def test_without_the_input_nothing_is_said_of_a_baseline(box):
    result = box.run(provider="offline", fail_on_new="low")
    assert result.code == 1
    assert set(deltas(result).values()) == {"new"}
    assert result.artifact["comparison"] is None
    assert "since the review" not in result.summary
    assert "new" not in result.summary.splitlines()[0]


def test_a_pull_request_that_was_rebased_and_shifted_says_nothing_new(box):
    """Fifty lines come in above, on the base branch, and every commit has another name."""
    first = box.run(provider="offline").artifact["findings"]
    keep(box)
    box.repo.git("checkout", "-q", "main")
    push(box, {"shop.py": "".join(f"above_{number} = {number}\n" for number in range(50)) + BASE})
    box.repo.base_sha = box.repo.git("rev-parse", "HEAD")
    box.repo.git("checkout", "-q", "topic")
    box.repo.git("rebase", "-q", "main")
    push(box, {})
    result = box.run(provider="offline", baseline=BASELINE, fail_on_new="low")
    again = result.artifact["findings"]
    assert result.code == 0
    assert [found["line"] for found in again] == [found["line"] + 50 for found in first]
    assert [found["fingerprint"] for found in again] == [found["fingerprint"] for found in first]
    assert set(deltas(result).values()) == {"unchanged"}
    assert counts(result) == (0, 2, 0, 0)
    assert result.artifact["comparison"]["head_sha"] == box.repo.head_sha
    assert result.summary.split("## pr-review: ")[-1].startswith("2 findings, 0 new\n")
    assert f"**0 new** · 2 unchanged since the review of `{box.repo.head_sha[:7]}`" in result.summary
    assert box.run(provider="offline", baseline=BASELINE, fail_on="low").code == 1


def test_a_fixed_finding_is_resolved_and_another_one_new(box):
    box.run(provider="offline")
    keep(box)
    push(box, {"shop.py": BASE + FIXED + BARE + "\n\ndef more(names={}):\n    return names\n"})
    result = box.run(provider="offline", baseline=BASELINE, fail_on_new="medium")
    assert result.code == 1
    assert deltas(result) == {"Mutable default argument": "new", "Bare `except`": "unchanged"}
    assert counts(result) == (1, 1, 1, 0)
    [resolved] = result.artifact["comparison"]["resolved"]
    assert (resolved["title"], resolved["line"], resolved["baseline_state"]) == (
        "Mutable default argument",
        43,
        "resolved",
    )
    assert "**1 new** · 1 unchanged · 1 resolved since the review of" in result.summary
    assert "**new:** Mutable default argument" in result.summary
    assert "| resolved | " in result.summary
    assert box.run(provider="offline", baseline=BASELINE, fail_on_new="high").code == 0


def test_fail_on_new_counts_only_what_is_new(box):
    """The unchanged one is the worse one."""
    push(box, {"shop.py": BASE + MUTABLE})
    box.run(provider="offline")
    keep(box)
    push(box, {"shop.py": BASE + MUTABLE + BARE})
    result = box.run(provider="offline", baseline=BASELINE, fail_on_new="medium")
    assert deltas(result) == {"Mutable default argument": "unchanged", "Bare `except`": "new"}
    assert result.code == 0
    assert box.run(provider="offline", baseline=BASELINE, fail_on_new="low").code == 1
    assert box.run(provider="offline", baseline=BASELINE, fail_on="medium").code == 1


def test_what_a_model_forgets_is_not_resolved_and_stays_known(box, chat_server, chat_inputs):
    says(chat_server, FOUND)
    box.run(**chat_inputs)
    keep(box)
    says(chat_server)
    second = box.run(**chat_inputs, baseline=BASELINE)
    assert second.outputs["conclusion"] == "clean"
    assert counts(second) == (0, 0, 0, 1)
    assert "| not seen | " in second.summary
    keep(box)
    says(chat_server, FOUND | {"line": None, "title": "The same in other words"})
    third = box.run(**chat_inputs, baseline=BASELINE, fail_on_new="low")
    assert third.code == 0
    assert deltas(third) == {"The same in other words": "unchanged"}


def test_a_run_that_fails_carries_on_what_is_known(box, chat_server, chat_inputs):
    says(chat_server, FOUND)
    box.run(**chat_inputs)
    keep(box)
    chat_server.add(chat_server.json({"error": {"message": "No."}}, status=401))
    failed = box.run(**chat_inputs, baseline=BASELINE)
    assert failed.outputs["conclusion"] == "failed"
    assert counts(failed) == (0, 0, 0, 1)
    keep(box)
    says(chat_server, FOUND)
    assert set(deltas(box.run(**chat_inputs, baseline=BASELINE)).values()) == {"unchanged"}


def test_only_a_file_that_was_reviewed_can_resolve(box):
    """The code is gone, but nobody looked."""
    box.run(provider="offline")
    keep(box)
    push(box, {"shop.py": BASE + FIXED + BARE})
    result = box.run(provider="offline", baseline=BASELINE, exclude="shop.py")
    assert counts(result) == (0, 0, 0, 2)
    push(box, {"shop.py": BASE})
    assert counts(box.run(provider="offline", baseline=BASELINE)) == (0, 0, 0, 2), (
        "not in the change any more"
    )


def test_a_deleted_file_resolves_what_stood_in_it(box):
    push(box, {"shop.py": BASE + MUTABLE})
    box.run(provider="offline")
    keep(box)
    push(box, {"shop.py": None})
    assert counts(box.run(provider="offline", baseline=BASELINE)) == (0, 0, 1, 0)


def test_removed_lines_are_resolved_when_they_are_back(box, chat_server, chat_inputs):
    """A finding on the old side: there its code is gone when nothing removes it any more."""
    push(box, {"old.py": "one = 1\n"})
    says(chat_server, FOUND | {"path": "old.py", "existing_code": "two = 2", "line": 2})
    first = box.run(**chat_inputs)
    assert [found["side"] for found in first.artifact["findings"]] == ["LEFT"]
    keep(box)
    says(chat_server)
    assert counts(box.run(**chat_inputs, baseline=BASELINE)) == (0, 0, 0, 1)
    push(box, {"old.py": "one = 1\ntwo = 2\nthree = 3\n"})
    says(chat_server)
    assert counts(box.run(**chat_inputs, baseline=BASELINE)) == (0, 0, 1, 0)


def test_a_masked_secret_is_recognised(box, chat_server, chat_inputs):
    """The earlier report does not hold the secret; still it is known whether it stands there."""
    push(box, {"shop.py": f'{BASE}\nkey = "{KEY}"\n'})
    says(chat_server, FOUND | {"existing_code": f'key = "{KEY}"'})
    box.run(**chat_inputs)
    keep(box)
    assert KEY not in (box.workspace / BASELINE).read_text()
    says(chat_server)
    assert counts(box.run(**chat_inputs, baseline=BASELINE)) == (0, 0, 0, 1)
    push(box, {"shop.py": f"{BASE}\nkey = load_key()\n"})
    says(chat_server)
    assert counts(box.run(**chat_inputs, baseline=BASELINE)) == (0, 0, 1, 0)


def test_what_the_log_masks_is_recognised_too(box, chat_server, chat_inputs):
    """A header's value may well be a word of the code."""
    inputs = chat_inputs | {"extra_headers": '{"x-team": "collect(items"}'}
    says(chat_server, FOUND)
    first = box.run(**inputs)
    assert first.artifact["findings"][0]["existing_code"] == "def ***=[]):"
    keep(box)
    says(chat_server)
    assert counts(box.run(**inputs, baseline=BASELINE)) == (0, 0, 0, 1)


UNUSABLE = {
    "not JSON": (lambda _: "no", "It is not JSON"),
    "empty": (lambda _: "", "It is not JSON"),
    "cut off": (lambda text: text[: len(text) // 2], "It is not JSON, or not all of it."),
    "another shape": (lambda _: "{}", "is not what the schema asks for"),
    "a list": (lambda text: f"[{text}]", "is not what the schema asks for"),
    "of the future": (edited(schema_version="2"), "Its schema_version is another one."),
    "nested": (lambda _: "[" * 100_000, "It is not JSON"),
    "of a run without a pull request": (edited(pull_request=None), "ended before its review"),
    "of a run without a review": (edited(summary=None), "ended before its review"),
    "of another repository": (
        lambda text: text.replace("octo/demo", "octo/other"),
        "it is of another repository",
    ),
    "of another server": (
        lambda text: text.replace("https://github.com/", "https://ghe.example/"),
        "it is of another repository",
    ),
    "of a local review": (
        lambda text: text.replace("https://github.com/octo/demo/pull/7", ""),
        "it is of another repository",
    ),
}


@pytest.mark.parametrize(("change", "problem"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_a_baseline_that_cannot_be_used_hides_nothing(box, change, problem):
    """A note, and every finding is new."""
    box.run(provider="offline")
    keep(box, change=change)
    result = box.run(provider="offline", baseline=BASELINE, fail_on_new="low")
    assert result.code == 1
    assert set(deltas(result).values()) == {"new"}
    assert result.artifact["comparison"] is None
    note = note_on(result)
    assert note.startswith("The baseline baseline/review.json is not used, so every finding is new: ")
    assert problem in note
    assert note.endswith(".")
    assert not note.endswith("..")


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_a_baseline_is_bounded(box, over):
    """16 MiB, as for every artifact that is read."""
    box.run(provider="offline")
    keep(box)
    with (box.workspace / BASELINE).open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.write(b" " * (16 * 2**20 + over - size))
    result = box.run(provider="offline", baseline=BASELINE)
    assert set(deltas(result).values()) == ({"new"} if over > 0 else {"unchanged"})
    assert (over > 0) == any("larger than 16 MiB" in note for note in result.artifact["run_notes"])


def test_the_name_of_a_repository_has_no_case(box):
    """GitHub's has none either."""
    box.run(provider="offline")
    keep(box, change=lambda text: text.replace("github.com/octo/demo", "github.com/Octo/Demo"))
    assert set(deltas(box.run(provider="offline", baseline=BASELINE)).values()) == {"unchanged"}


def test_a_baseline_of_another_pull_request_is_used_with_a_note(box):
    """Stacked or reopened."""
    box.run(provider="offline")
    keep(
        box,
        change=lambda text: text.replace("demo/pull/7", "demo/pull/6").replace('"number": 7', '"number": 6'),
    )
    result = box.run(provider="offline", baseline=BASELINE)
    assert set(deltas(result).values()) == {"unchanged"}
    assert note_on(result) == "The baseline is of pull request 6, not of this one."


def track(box):
    push(box, {BASELINE: (box.workspace / BASELINE).read_text()})


def track_in_the_base_only(box):
    """As in a checkout of the base, which the pull request's owner merged something into."""
    box.repo.git("checkout", "-q", "main")
    push(box, {BASELINE: "{}", "shop.py": BASE})
    box.repo.base_sha = box.repo.git("rev-parse", "HEAD")
    box.repo.git("checkout", "-q", "topic")
    box.write_event(box.repo.base_sha, box.repo.git("rev-parse", "HEAD"))
    keep(box)


def link_the_file(box):
    (box.workspace / BASELINE).rename(box.workspace / "elsewhere.json")
    (box.workspace / BASELINE).symlink_to("../elsewhere.json")


def link_the_folder(box):
    (box.workspace / "baseline").rename(box.workspace / "elsewhere")
    (box.workspace / "baseline").symlink_to("elsewhere")


def make_a_folder(box):
    (box.workspace / BASELINE).unlink()
    (box.workspace / BASELINE).mkdir()


def make_a_pipe(box):
    """Which would block whoever opens it."""
    (box.workspace / BASELINE).unlink()
    os.mkfifo(box.workspace / BASELINE)


def put_a_file_in_the_way(box):
    shutil.rmtree(box.workspace / "baseline")
    (box.workspace / "baseline").write_text("x")


def add_a_submodule(box):
    """A checkout with ``submodules: true`` fills the folder with what the pull request names."""
    sha = box.repo.git("rev-parse", "HEAD")
    box.repo.git("update-index", "--add", "--cacheinfo", f"160000,{sha},baseline")
    box.repo.git("commit", "-q", "-m", "submodule")
    box.write_event(box.repo.base_sha, box.repo.git("rev-parse", "HEAD"))


PLACES = [
    (track, "is tracked by the repository"),
    (track_in_the_base_only, "is tracked by the repository"),
    (add_a_submodule, "is tracked by the repository"),
    (link_the_file, "a symbolic link"),
    (link_the_folder, "a symbolic link"),
    (put_a_file_in_the_way, "leads through"),
    (make_a_folder, "is not a regular file"),
    (make_a_pipe, "is not a regular file"),
]


@pytest.mark.parametrize(("forge", "what"), PLACES, ids=[forge.__name__ for forge, _ in PLACES])
def test_a_place_that_the_pull_request_can_fill_is_refused(box, chat_server, chat_inputs, forge, what):
    """With a clear error, before a request is sent."""
    box.run(provider="offline")
    keep(box)
    forge(box)
    result = box.run(**chat_inputs, baseline=BASELINE, on_error="neutral")
    assert result.code == 2
    error = result.artifact["error"]
    assert error["code"] == "baseline_unsafe"
    assert what in error["detail"]
    assert error["detail"].startswith("The baseline baseline/review.json ")
    assert result.artifact["findings"] == []
    assert chat_server.requests == []


@pytest.mark.parametrize(
    "path", ["/etc/review.json", "../review.json", "a/../../b", ".git/review.json", ".", "a\\b"]
)
def test_a_path_outside_the_workspace_is_no_input(box, path):
    result = box.run(provider="offline", baseline=path)
    assert result.code == 2
    assert result.artifact["error"]["code"] == "invalid_input"
    assert "input `baseline` must be a path" in result.artifact["error"]["detail"]


def test_a_local_review_compares_with_an_earlier_one(box, cli):
    """Of its own, or of the workflow: a person picks the file, so the repository's name does not matter."""
    local = ["local", "--provider", "offline", "--repo", str(box.workspace)]
    assert cli(*local, "--output-dir", "mine").returncode == 0
    box.run(provider="offline")
    shutil.copytree(box.workspace / "pr-review-report", cli.folder / "fetched")
    push(box, {"shop.py": BASE + FIXED + BARE})
    for folder in ("mine", "fetched"):
        done = cli(*local, "--baseline", f"{folder}/review.json", "--fail-on-new", "low")
        assert done.returncode == 0
        assert done.stdout.startswith(
            "pr-review: 1 finding, 0 new\n1 low\n0 new · 1 unchanged · 1 resolved\n"
        )


def test_the_report_of_the_run_before_may_lie_where_this_one_is_written(box):
    """It is read before anything is written."""
    box.run(provider="offline")
    result = box.run(provider="offline", baseline=REPORT)
    assert set(deltas(result).values()) == {"unchanged"}


def test_what_is_known_is_bounded(box):
    """Findings beyond the bound are new when they are found: that hides nothing."""
    found = box.run(provider="offline").artifact["findings"][0]

    def known(number):
        carried = [
            found | {"fingerprint": f"{index:016x}", "baseline_state": "not_seen"} for index in range(number)
        ]
        compared = {"head_sha": "a" * 40, "new": 0, "unchanged": 0, "resolved": [], "not_seen": carried}
        return edited(findings=[], comparison=compared)

    for number in (399, 400, 401):
        box.run(provider="offline")
        keep(box, change=known(number))
        result = box.run(provider="offline", baseline=BASELINE)
        assert counts(result) == (2, 0, 0, min(number, 400))
        assert any("1 findings more" in note for note in result.artifact["run_notes"]) == (number > 400)


def test_a_hostile_baseline_is_shown_as_text(box):
    """Its findings are others' words, its paths no places of this repository."""
    box.run(provider="offline")
    evil = "<img src=x> @octocat [x](https://evil.example)"

    def forge(text):
        report = json.loads(text)
        for found in report["findings"]:
            found |= {"path": "../../etc/passwd", "title": evil, "fingerprint": found["fingerprint"][::-1]}
        return json.dumps(report)

    keep(box, change=forge)
    result = box.run(provider="offline", baseline=BASELINE)
    assert counts(result) == (2, 0, 0, 2)
    page = result.summary.split("## pr-review: ")[-1]
    assert "<img" not in page
    assert "`[x](https://evil.example)`" in page, "as code"
    assert "<img" not in (box.workspace / "pr-review-report/review.html").read_text()
