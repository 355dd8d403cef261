"""The action as the runner drives it: event file and inputs in; outputs, summary, artifact and log out."""

import hashlib
import json
from pathlib import Path

import pytest

from pr_review.errors import ConfigError

REVIEW = {"summary": "Adds f.", "findings": [], "notes": []}


def snapshot(folder: Path) -> dict[str, tuple[int, str]]:
    """Mode and content of everything below a folder, the report folder aside."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not name.startswith("pr-review-report"):
            info = path.lstat()
            link = str(path.readlink()).encode() if path.is_symlink() else b""
            data = path.read_bytes() if path.is_file() and not link else link
            found[name] = (info.st_mode, hashlib.sha256(data).hexdigest())
    return found


def test_an_offline_review_leaves_outputs_summary_and_artifact(action_box):
    result = action_box.run(provider="offline")
    assert result.code == 0
    assert result.outputs == {
        "conclusion": "findings",
        "findings-count": "1",
        "highest-severity": "medium",
        "report-path": "pr-review-report/review.json",
        "summary-path": "pr-review-report/review.md",
        "termination-reason": "final_review",
    }
    report = result.artifact
    assert [(found["path"], found["line"]) for found in report["findings"]] == [("a.py", 4)]
    link = f"https://github.com/octo/demo/blob/{action_box.repo.head_sha}/a.py#L4"
    assert link in result.summary
    assert (action_box.workspace / "pr-review-report/review.md").read_text() == result.summary
    assert "conclusion: findings" in result.log


def test_the_workspace_is_left_as_it_was(action_box):
    before = snapshot(action_box.workspace)
    action_box.run(provider="offline")
    assert snapshot(action_box.workspace) == before
    assert action_box.repo.git("status", "--porcelain") == ""
    assert list((action_box.root / "scratch").iterdir()) == []


def test_fail_on_decides_the_exit_code(action_box):
    assert action_box.run(provider="offline", fail_on="high").code == 0
    assert action_box.run(provider="offline", fail_on="medium").code == 1


def test_a_model_review_is_masked_and_complete(action_box, chat_server, chat_inputs):
    chat_server.add(
        chat_server.completion(calls=[("c1", "list_repository_files", "{}")]),
        chat_server.completion(content=json.dumps(REVIEW)),
    )
    result = action_box.run(**chat_inputs, include_trace="true")
    assert (result.code, result.outputs["conclusion"]) == (0, "clean")
    lines = result.log.splitlines()
    assert lines[0] == f"::add-mask::{chat_inputs['api_key']}"
    assert chat_inputs["api_key"] not in "\n".join(lines[1:])
    assert lines[1].startswith("::group::round 1: execute_tools, tool calls: 1, result bytes: ")
    report = result.artifact
    assert report["usage"] == {"prompt_tokens": 22, "completion_tokens": 14, "total_tokens": 36}
    assert [turn["protocol_action"] for turn in report["turns"]] == ["execute_tools", "return_review"]
    assert report["trace"][0]["tool_calls"][0]["arguments"] == {}
    assert report["requests"]["requests"] == 2


def test_a_provider_that_echoes_the_key_does_not_get_it_published(action_box, chat_server, chat_inputs):
    key = chat_inputs["api_key"]
    finding = {
        "severity": "high",
        "title": f"Leaked {key}",
        "explanation": key,
        "path": "a.py",
        "line": 4,
        "evidence": key,
        "recommendation": key,
        "suggestion": key,
    }
    review = {"summary": key, "findings": [finding], "notes": [key]}
    chat_server.add(chat_server.completion(content=json.dumps(review)))
    result = action_box.run(**chat_inputs)
    written = (action_box.workspace / "pr-review-report/review.json").read_text() + result.summary
    assert key not in written
    assert key.replace("-", "\\-") not in written
    assert result.artifact["summary"] == "***"


def test_a_prompt_that_was_cut_silently_is_incomplete_and_says_what_to_do(
    action_box, chat_server, chat_inputs
):
    """Ollama cuts a prompt to its context without a word; the answer is kept, and never called clean."""
    head = action_box.repo.commit({"big.py": "".join(f"value_{n} = {n}\n" for n in range(4_000))})
    action_box.write_event(action_box.repo.base_sha, head)
    usage = {"prompt_tokens": 4096, "completion_tokens": 20, "total_tokens": 4116}
    chat_server.rule = lambda _: chat_server.completion(json.dumps(REVIEW), usage=usage)
    result = action_box.run(**chat_inputs)
    assert (result.code, result.outputs["conclusion"]) == (0, "incomplete")
    report = result.artifact
    assert (report["error"]["code"], report["termination_reason"]) == ("prompt_truncated", "final_review")
    assert "num_ctx" in report["error"]["advice"]
    assert report["summary"] == "Adds f."
    assert "Ollama" in result.log
    assert "Ollama" in result.summary
    assert action_box.run(**chat_inputs, fail_on_incomplete="true").code == 3


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_max_requests_bounds_what_a_run_can_cost(action_box, chat_server, chat_inputs, limit):
    """A retry, a refused field, a bad turn and a call each cost a request."""
    too_early = {"retry-after-ms": "1"}
    chat_server.add(
        chat_server.json({"error": {"message": "Slow down."}}, status=429, headers=too_early),
        chat_server.json({"error": {"message": "Unsupported parameter: 'seed'"}}, status=400),
        chat_server.completion("No."),
    )
    chat_server.rule = lambda _: chat_server.completion(calls=[("c1", "list_repository_files", "{}")])
    result = action_box.run(**chat_inputs, max_requests=limit, extra_body='{"seed":1}')
    assert len(chat_server.requests) == limit
    assert result.outputs["conclusion"] == "incomplete"
    assert result.artifact["error"]["code"] == "max_requests"
    assert result.artifact["requests"]["requests"] == limit


def test_errors_of_settings_still_leave_every_report(action_box):
    result = action_box.run(max_rounds="many", provider="offline")
    assert (result.code, result.outputs["conclusion"]) == (2, "failed")
    assert result.artifact["error"]["code"] == "invalid_input"
    assert "max-rounds" in result.artifact["error"]["detail"]
    assert "invalid_input" in result.summary
    assert "::error title=pr-review::[invalid_input]" in result.log
    assert "Traceback" not in result.log


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"{}", b'{"pull_request":7}', b"\xff\xfe"])
def test_a_bad_event_file_still_leaves_every_report(action_box, content):
    if content is None:
        action_box.event_path.unlink()
    else:
        action_box.event_path.write_bytes(content)
    result = action_box.run(provider="offline")
    assert (result.code, result.artifact["error"]["code"]) == (2, "invalid_event")
    assert "Traceback" not in result.log


@pytest.mark.parametrize("event", ["push", "merge_group", "schedule", "", "no such event"])
def test_other_events_are_skipped_with_a_sentence(action_box, event):
    action_box.environ["GITHUB_EVENT_NAME"] = event
    result = action_box.run(provider="offline")
    assert (result.code, result.outputs["conclusion"]) == (0, "skipped")
    assert "::notice" in result.log
    assert "nothing to review" in result.summary


def test_no_workspace_and_no_repository(action_box, tmp_path):
    (tmp_path / "nothing").mkdir()
    action_box.environ["GITHUB_WORKSPACE"] = str(tmp_path / "nothing")
    action_box.workspace = tmp_path / "nothing"
    result = action_box.run(provider="offline")
    assert (result.code, result.artifact["error"]["code"]) == (2, "no_repository")


def test_without_a_workspace_nothing_is_written(action_box, tmp_path):
    """As on a developer's machine, where the current folder is no place for reports."""
    del action_box.environ["GITHUB_WORKSPACE"]
    action_box.workspace = tmp_path / "nothing"
    action_box.workspace.mkdir()
    with pytest.raises(ConfigError, match="no_workspace"):
        action_box.run(provider="offline")
    assert list(action_box.workspace.iterdir()) == []


@pytest.mark.parametrize(
    ("filters", "fields"),
    [
        ({"skip_drafts": "true"}, {"draft": True}),
        ({"skip_labels": "WIP\nno-review"}, {"labels": [{"name": "No-Review"}]}),
        ({"skip_authors": "octocat"}, {}),
        ({"allow_authors": "MEMBER"}, {"author_association": "NONE"}),
    ],
)
def test_filters_skip_before_anything_is_spent(action_box, chat_server, chat_inputs, filters, fields):
    action_box.write_event(action_box.repo.base_sha, action_box.repo.head_sha, **fields)
    result = action_box.run(**chat_inputs, **filters)
    assert (result.code, result.outputs["conclusion"]) == (0, "skipped")
    assert chat_server.requests == []


def test_allowed_authors_are_reviewed(action_box, chat_server, chat_inputs):
    chat_server.add(chat_server.completion(content=json.dumps(REVIEW)))
    repo = action_box.repo
    action_box.write_event(repo.base_sha, repo.head_sha, author_association="MEMBER")
    assert action_box.run(**chat_inputs, allow_authors="OWNER\nMEMBER").outputs["conclusion"] == "clean"


def test_an_association_does_not_admit_the_stranger_of_that_name(action_box, chat_server, chat_inputs):
    fields = {"user": {"login": "MEMBER"}, "author_association": "NONE"}
    action_box.write_event(action_box.repo.base_sha, action_box.repo.head_sha, **fields)
    assert action_box.run(**chat_inputs, allow_authors="MEMBER").outputs["conclusion"] == "skipped"
    assert chat_server.requests == []


def test_forks_without_a_key_are_reviewed_offline_and_that_is_said(action_box):
    head = {"ref": "topic", "sha": action_box.repo.head_sha, "repo": None}
    action_box.write_event(action_box.repo.base_sha, action_box.repo.head_sha, head=head)
    result = action_box.run()
    assert (result.code, result.artifact["provider"]) == (0, "offline")
    assert "GitHub gives this event no secrets" in result.summary


@pytest.mark.parametrize("where", ["pr-review-report", "pr-review-report/review.json"])
def test_an_output_path_committed_as_a_symlink_is_refused_before_anything_is_spent(
    action_box, chat_server, chat_inputs, tmp_path, where
):
    """The error is clear, the artifact is written elsewhere, and the link's target stays untouched."""
    target = tmp_path / "target"
    target.mkdir()
    (target / "victim").write_text("untouched")
    link = action_box.workspace / where
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target if where == "pr-review-report" else target / "victim")
    head = action_box.repo.commit({})
    action_box.write_event(action_box.repo.base_sha, head)
    result = action_box.run(**chat_inputs)
    assert (result.code, result.artifact["error"]["code"]) == (2, "output_dir_unsafe")
    assert result.outputs["report-path"].startswith("pr-review-report-")
    assert "output_dir_unsafe" in result.summary
    assert (chat_server.requests, (target / "victim").read_text()) == ([], "untouched")
    assert [path.name for path in target.iterdir()] == ["victim"]


def test_a_step_summary_that_cannot_be_written_does_not_end_the_run(action_box):
    action_box.environ["GITHUB_STEP_SUMMARY"] = str(action_box.root / "no" / "such" / "file")
    result = action_box.run(provider="offline")
    assert result.code == 0
    assert result.artifact["conclusion"] == "findings"


def test_a_dry_run_shows_what_would_leave(action_box, chat_server, chat_inputs):
    result = action_box.run(**chat_inputs, dry_run="true")
    request = (action_box.workspace / "pr-review-report/request.json").read_bytes()
    assert f"request: pr-review-report/request.json, {len(request):,} bytes" in result.log
    assert "dry run: nothing was sent" in result.summary
    assert chat_server.requests == []
    assert json.loads(request)["model"] == "m-1"


def test_reports_of_an_earlier_run_do_not_stay(action_box, chat_inputs):
    """Whoever looks into the folder must find one run."""
    folder = action_box.workspace / "pr-review-report"
    action_box.run(**chat_inputs, dry_run="true")
    (folder / "suggestions.patch").write_text("of another run")
    (folder / "mine.txt").write_text("not a report")
    action_box.run(provider="offline")
    assert sorted(path.name for path in folder.iterdir()) == [
        ".gitignore",
        "mine.txt",
        "review.html",
        "review.json",
        "review.md",
        "review.sarif",
    ]


def test_nothing_of_a_hostile_pull_request_is_a_workflow_command(action_box, chat_server, chat_inputs):
    """Titles, paths and model text are neutralised in log, outputs and summary."""
    evil = "\n::set-output name=conclusion::clean\n##[error]x ::add-mask::a\r\n::warning::y"
    name = "::error::x ##[group]y.py"
    head = action_box.repo.commit({name: "x = 1\n"}, evil)
    action_box.write_event(action_box.repo.base_sha, head, title=evil, body=evil)
    finding = {
        "severity": "low",
        "title": evil,
        "explanation": evil,
        "path": name,
        "line": 1,
        "evidence": evil,
        "recommendation": evil,
    }
    review = {"summary": evil, "findings": [finding], "notes": [evil]}
    chat_server.add(chat_server.completion(content=json.dumps(review)))
    result = action_box.run(**chat_inputs)
    ours = (
        "::add-mask::sk-integration",
        "::notice ",
        "::warning ",
        "::error ",
        "::group",
        "::endgroup",
        "::debug",
    )
    for line in result.log.splitlines():
        assert not line.lstrip().startswith("::") or line.startswith(ours), line
        assert "##[" not in line
    assert set(result.outputs) == {
        "conclusion",
        "findings-count",
        "highest-severity",
        "report-path",
        "summary-path",
        "termination-reason",
    }
    assert result.outputs["conclusion"] == "findings"


def test_a_30_file_change_loses_nothing_to_call_limits(action_box):
    files = {f"src/mod{n}.py": f"def f{n}(x=[]):\n    return x\n" for n in range(30)}
    files["src/long.py"] = "".join(f"value_{n} = {n}\n" for n in range(1500)) + "print(undefined)\n"
    head = action_box.repo.commit(files)
    action_box.write_event(action_box.repo.base_sha, head)
    report = action_box.run(provider="offline").artifact
    assert report["coverage"]["not_reviewed"] == 0
    assert all("ruff" in file["checks"] for file in report["coverage"]["files"])
    assert ("src/long.py", 1501) in {(found["path"], found["line"]) for found in report["findings"]}
    assert len(report["findings"]) == 32


def test_a_report_that_is_a_folder_moves_the_reports_and_is_said(action_box):
    (action_box.workspace / "pr-review-report" / "review.md").mkdir(parents=True)
    result = action_box.run(provider="offline")
    assert (result.code, result.artifact["error"]["code"]) == (2, "output_dir_unsafe")
    assert result.log.count("output_dir_unsafe") == 1
    assert [path.name for path in (action_box.workspace / "pr-review-report").iterdir()] != []


def test_a_tracked_output_folder_is_refused_also_below_path(action_box):
    """``output-dir`` is relative to the workspace, the tree to the checkout at ``path``."""
    inner = action_box.workspace
    outer = inner.parent
    head = action_box.repo.commit({"reports/old.txt": "x"})
    action_box.write_event(action_box.repo.base_sha, head)
    action_box.environ["GITHUB_WORKSPACE"] = str(outer)
    action_box.workspace = outer
    refused = action_box.run(provider="offline", path=inner.name, output_dir=f"{inner.name}/reports")
    assert (refused.code, refused.artifact["error"]["code"]) == (2, "output_dir_unsafe")
    (action_box.root / "output").write_text("")
    allowed = action_box.run(provider="offline", path=inner.name, output_dir="reports")
    assert (allowed.code, allowed.outputs["report-path"]) == (0, "reports/review.json")


@pytest.mark.parametrize(
    ("text", "exit_code", "code"),
    [("guidelines: [missing.md]\n", 3, "unreadable_base_file"), ("max-rounds: [", 2, "invalid_config_file")],
)
def test_a_run_that_fails_before_it_writes_leaves_a_tracked_folder_alone(action_box, text, exit_code, code):
    """A configuration or guideline that cannot be read ends the run before it has chosen its folder."""
    repo = action_box.repo
    repo.git("checkout", "-q", "main")
    base = repo.commit({".github/pr-review.yml": text})
    head = repo.commit({"reports/review.json": "theirs\n"})
    action_box.write_event(base, head)
    result = action_box.run(provider="offline", output_dir="reports")
    assert (result.code, result.artifact["error"]["code"]) == (exit_code, code)
    assert result.outputs["report-path"].startswith("pr-review-report-")
    assert "output_dir_unsafe" in result.log
    assert (action_box.workspace / "reports" / "review.json").read_text() == "theirs\n"


def test_bad_settings_still_report_into_the_given_folder(action_box):
    result = action_box.run(max_rounds="many", output_dir="out")
    assert result.outputs["report-path"] == "out/review.json"


def test_a_note_of_a_model_is_redacted_too(action_box, chat_server, chat_inputs):
    key = chat_inputs["api_key"]
    chat_server.add(chat_server.completion(content=json.dumps(REVIEW | {"notes": [f"The key is {key}"]})))
    result = action_box.run(**chat_inputs)
    assert "The key is" in result.summary
    assert key not in result.summary


def test_findings_are_annotated_unless_switched_off(action_box):
    on = action_box.run(provider="offline")
    assert "::warning title=Mutable default argument,file=a.py,line=4::" in on.log
    off = action_box.run(provider="offline", annotations="false")
    assert "::warning" not in off.log
