"""What GitHub and its users can bring about: each ends in a right review or one clear sentence."""

import json
import re

import pytest
from tests.loopback.git import serve_git
from tests.loopback.upstream import NUMBER, TOKEN, build_upstream, run_git

from pr_review.errors import EXIT_CONFIG, EXIT_OK, EXIT_REVIEW

FINDINGS = [("tools/new.py", 31), ("src/app.py", 4)]
DISPATCH = {"inputs": {"pull-request": str(NUMBER)}}
REVIEW = json.dumps({"summary": "Fine.", "findings": [], "notes": []})


def found(result):
    return [(finding["path"], finding["line"]) for finding in result.artifact["findings"]]


def check_reviewed(result):
    assert (result.code, result.artifact["error"]) == (EXIT_OK, None), result.log
    assert found(result) == FINDINGS


def check_refused(result, code, exit_code=EXIT_REVIEW):
    """Every report says what happened and what to do; nothing is found."""
    error = result.artifact["error"]
    assert (error["code"], result.code) == (code, exit_code)
    assert error["detail"].endswith(".")
    assert error["advice"].endswith(".")
    assert result.outputs["conclusion"] == "failed"
    assert found(result) == []
    assert f"[{code}]" in result.log
    assert code in result.summary
    assert "Traceback" not in result.log
    return error


def event_of(upstream, **fields):
    return {"action": "opened", "pull_request": upstream.pull() | fields}


def forked(upstream, **fields):
    """The pull request as if its head were in a fork."""
    head = upstream.pull()["head"] | {"repo": {"full_name": "stranger/demo"}}
    return event_of(upstream, head=head, **fields)


def force_push(repo, base):
    """Replace the pull request's commits by an empty one on the base."""
    new = repo.git("commit-tree", f"{base}^{{tree}}", "-p", base, "-m", "Forced")
    for ref in ("refs/heads/topic", "refs/pull/7/head", "refs/pull/7/merge"):
        repo.git("update-ref", ref, new)
    return new


@pytest.fixture
def server_refs(upstream):
    """A test may change the server's branches; they are put back."""
    before = upstream.repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    yield upstream.repo
    for line in upstream.repo.git("for-each-ref", "--format=%(refname)").splitlines():
        upstream.repo.git("update-ref", "-d", line)
    for line in before:
        upstream.repo.git("update-ref", *line.split())


# The pull request


def test_a_deleted_fork_is_reviewed_from_the_pull_request_s_ref(upstream, server_refs, remote_box):
    server_refs.git("update-ref", "-d", "refs/heads/topic")
    box = remote_box(event_of(upstream, head={"ref": "topic", "sha": upstream.head, "repo": None}))
    upstream.check_out(box.workspace)
    result = box.run()
    check_reviewed(result)
    assert result.artifact["provider"] == "offline"


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("squashed", [True, False])
def test_a_merged_pull_request_whose_branch_is_gone(
    upstream, server_refs, remote_box, github, depth, squashed
):
    """After a squash no branch holds the head commit: ``refs/pull/N/head`` does."""
    merged = upstream.merge
    if squashed:
        merged = server_refs.git("commit-tree", f"{merged}^{{tree}}", "-p", upstream.base, "-m", "Squashed")
    server_refs.git("update-ref", "refs/heads/main", merged)
    server_refs.git("update-ref", "-d", "refs/heads/topic")
    server_refs.git("update-ref", "-d", "refs/pull/7/merge")
    github.pull |= {"state": "closed", "merged": True, "head": github.pull["head"] | {"repo": None}}
    box = remote_box(DISPATCH, name="workflow_dispatch")
    upstream.check_out(box.workspace, merged, depth=depth)
    check_reviewed(box.run(provider="offline"))


def test_a_push_after_the_event_does_not_change_what_is_reviewed(upstream, server_refs, remote_box, github):
    """The payload's head wins, though the checkout and the API already show the new one."""
    new = force_push(server_refs, upstream.base)
    github.pull["head"]["sha"] = new
    box = remote_box()
    upstream.check_out(box.workspace, new)
    result = box.run(provider="offline")
    check_reviewed(result)
    assert result.artifact["pull_request"]["head_sha"] == upstream.head


def test_a_head_that_the_server_no_longer_has_is_no_review_of_another(tmp_path, remote_box):
    with serve_git(tmp_path / "server") as server:
        server.token = TOKEN
        upstream = build_upstream(server)
        new = force_push(upstream.repo, upstream.base)
        upstream.repo.git("reflog", "expire", "--expire=now", "--all")
        upstream.repo.git("gc", "--quiet", "--prune=now")
        box = remote_box(event_of(upstream))
        box.environ["GITHUB_SERVER_URL"] = server.url
        upstream.check_out(box.workspace, new)
        error = check_refused(box.run(provider="offline"), "commit_not_found")
    assert "force-pushed" in error["advice"]


# The API


def test_a_pull_request_number_that_does_not_exist(upstream, remote_box):
    box = remote_box({"inputs": {"pull-request": "99"}}, name="workflow_dispatch")
    upstream.check_out(box.workspace)
    error = check_refused(box.run(provider="offline"), "github_not_found")
    assert "pull-requests: read" in error["advice"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("0", "invalid_pull_request"),
        ("seven", "invalid_pull_request"),
        ("https://github.com/octo/demo/pull/7", "foreign_pull_request"),
        ("{server}/octo/other/pull/7", "foreign_pull_request"),
        ("{server}/octo/demo/pull/7/files", "invalid_pull_request"),
    ],
)
def test_an_input_that_names_no_pull_request_of_this_repository(upstream, remote_box, github, given, code):
    box = remote_box(name="push")
    box.workspace.mkdir()
    result = box.run(provider="offline", pull_request=given.format(server=upstream.server.url))
    check_refused(result, code, EXIT_CONFIG)
    assert github.requests == []


def test_an_explicit_pull_request_wins_over_the_event(upstream, remote_box, github):
    """The event is about number 8; its commits are not the ones that are asked for."""
    box = remote_box(event_of(upstream, number=8, title="Another"))
    upstream.check_out(box.workspace)
    result = box.run(provider="offline", pull_request=f"{upstream.server.url}/octo/demo/pull/7")
    check_reviewed(result)
    assert (result.artifact["pull_request"]["number"], github.requests[0]) == (7, "/pulls/7")


def forbid_pulls(github):
    """A token with ``contents: read`` only."""
    answer = github.answer
    refusal = github.error(403, "Resource not accessible by integration")
    github.server.rule = lambda request: refusal if "/pulls/" in request.path else answer(request)


def test_a_token_that_may_not_read_pull_requests_is_told_which_permission(upstream, remote_box, github):
    forbid_pulls(github)
    box = remote_box(DISPATCH, name="workflow_dispatch")
    upstream.check_out(box.workspace)
    error = check_refused(box.run(provider="offline"), "github_forbidden")
    assert "pull-requests: read" in error["advice"]


def test_an_event_needs_no_permission_to_read_pull_requests(upstream, remote_box, github):
    """The payload is complete; only the comparison of a very long list of files is then left out."""
    forbid_pulls(github)
    github.change(300)
    box = remote_box()
    upstream.check_out(box.workspace)
    result = box.run(provider="offline")
    check_reviewed(result)
    assert result.artifact["run_notes"] == [
        "The changed files were not compared with GitHub's list: The token may not read this from GitHub."
    ]


def test_an_api_that_is_down_is_a_note_when_nothing_needs_it(upstream, remote_box):
    box = remote_box()
    upstream.check_out(box.workspace, depth=0)
    box.environ["GITHUB_API_URL"] = "http://127.0.0.1:9"
    result = box.run(provider="offline", timeout_seconds=6)
    check_reviewed(result)
    (note,) = result.artifact["run_notes"]
    assert note.startswith("The changed files were not compared with GitHub's list")


@pytest.mark.parametrize(
    ("event", "name", "deeper"), [(None, "pull_request", True), (DISPATCH, "workflow_dispatch", False)]
)
def test_an_api_that_is_down_is_an_error_when_it_has_to_be_asked(upstream, remote_box, event, name, deeper):
    """For the merge base of a shallow checkout the lines to add are named; a number needs the API."""
    box = remote_box(event, name=name)
    upstream.check_out(box.workspace)
    box.environ["GITHUB_API_URL"] = "http://127.0.0.1:9"
    error = check_refused(box.run(provider="offline", timeout_seconds=3), "github_unreachable")
    assert ("`with:` and `fetch-depth: 0`" in error["advice"]) is deeper


def test_a_public_repository_needs_no_token(upstream, remote_box, github, monkeypatch):
    monkeypatch.setattr(upstream.server, "token", None)
    github.token = None
    box = remote_box(DISPATCH, name="workflow_dispatch")
    del box.environ["INPUT_GITHUB-TOKEN"]
    run_git(box.workspace.parent, "clone", "-q", "--depth=1", upstream.url, str(box.workspace))
    upstream.server.forget()
    check_reviewed(box.run(provider="offline"))
    assert upstream.server.authorizations == {None}
    assert not any("authorization" in request.headers for request in github.server.requests)


def test_a_slow_api_ends_no_review(upstream, remote_box, github):
    """The comparison with GitHub's list gets half of what is left, then becomes a note."""
    answer = github.answer
    slow = github.server.json({}, delay=20)
    github.server.rule = lambda request: slow if "/compare/" in request.path else answer(request)
    box = remote_box()
    upstream.check_out(box.workspace, depth=0)
    result = box.run(provider="offline", timeout_seconds=5)
    check_reviewed(result)
    assert result.artifact["run_notes"] == [
        "The changed files were not compared with GitHub's list: it took too long."
    ]


def test_a_rate_limit_that_outlasts_the_run_stops_at_once(upstream, remote_box, github):
    github.fail(403, "You have exceeded a secondary rate limit.", retry_after="3600")
    box = remote_box(DISPATCH, name="workflow_dispatch")
    upstream.check_out(box.workspace)
    error = check_refused(box.run(provider="offline"), "github_rate_limited")
    assert "3600 s" in error["detail"]


def test_a_server_error_is_retried(upstream, remote_box, github):
    github.fail(502, "Server Error")
    box = remote_box(DISPATCH, name="workflow_dispatch")
    upstream.check_out(box.workspace)
    check_reviewed(box.run(provider="offline"))


def test_a_list_that_differs_is_a_note_and_a_rename_is_no_difference(upstream, remote_box, github):
    github.files = [file for file in github.files if file["filename"] != "README.md"]
    box = remote_box()
    upstream.check_out(box.workspace)
    result = box.run(provider="offline")
    check_reviewed(result)
    assert result.artifact["run_notes"] == [
        "The local diff has 1 changed file that GitHub does not list: README.md."
    ]


@pytest.mark.parametrize(
    "listed",
    [
        [("src/evil.py", "added")],
        [("src/evil.py", "modified")],
        [("src/evil.py", "removed"), ("docs/é.md", "added")],
        [(f"src/{number}.py", "added") for number in range(120)],
        [("caf\ufffd.py", "added")],
    ],
    ids=["one", "modified", "two", "many", "a name that is no text"],
)
def test_a_file_that_only_github_lists_makes_the_review_incomplete(upstream, remote_box, github, listed):
    github.files += [github.file(name, status) for name, status in listed]
    box = remote_box()
    upstream.check_out(box.workspace)
    result = box.run(provider="offline", fail_on_incomplete="true")
    report = result.artifact
    assert (result.code, report["conclusion"]) == (EXIT_REVIEW, "incomplete")
    missing = {file["path"] for file in report["coverage"]["files"] if file["status"] == "not_reviewed"}
    assert missing == {name for name, _ in listed}
    assert f"GitHub lists {len(listed)} changed file" in report["run_notes"][0]
    assert "Run again on the newest event" in result.summary


def test_a_change_that_is_all_excluded_here_is_not_skipped_when_github_lists_more(
    upstream, remote_box, github
):
    github.files.append(github.file("src/evil.py", "added"))
    box = remote_box()
    upstream.check_out(box.workspace)
    report = box.run(provider="offline", exclude="*").artifact
    assert (report["conclusion"], report["error"]["code"]) == ("incomplete", "files_missing")


# Who asks


@pytest.mark.parametrize(
    ("whose", "policy", "outcome"),
    [
        ("fork", None, "offline"),
        ("fork", "fail", "failed"),
        ("fork", "offline", "offline"),
        ("fork", "skip", "skipped"),
        ("dependabot", None, "offline"),
        ("dependabot", "fail", "failed"),
        ("dependabot", "skip", "skipped"),
        ("own", None, "failed"),
        ("own", "fail", "failed"),
        ("own", "offline", "offline"),
        ("own", "skip", "skipped"),
        ("target", None, "failed"),
        ("target", "offline", "offline"),
    ],
)
def test_on_missing_key(upstream, remote_box, whose, policy, outcome):
    """Rules review what GitHub gives no secrets; under pull_request_target a missing key is a mistake."""
    sender = {"login": "dependabot[bot]" if whose == "dependabot" else "octocat"}
    event = (event_of if whose in {"dependabot", "own"} else forked)(upstream, user=sender)
    name = "pull_request_target" if whose == "target" else "pull_request"
    box = remote_box(event | {"sender": sender}, name=name)
    upstream.check_out(box.workspace)
    result = box.run(**{"on_missing_key": policy} if policy else {})
    if outcome == "failed":
        error = check_refused(result, "missing_key", EXIT_CONFIG)
        assert "on-missing-key" in error["advice"]
    elif outcome == "skipped":
        assert (result.code, result.outputs["conclusion"]) == (EXIT_OK, "skipped")
    else:
        check_reviewed(result)
        secretless = whose in {"fork", "dependabot"}
        why = "GitHub gives this event no secrets" if secretless else "No api-key was given"
        assert result.artifact["run_notes"] == [f"{why}, so rules reviewed this change, not a model."]
        assert why in result.summary


HOSTILE_HEAD = {
    ".github/pr-review.yml": "exclude: ['**']\n",
    ".gitattributes": "*.py -diff linguist-generated filter=evil\n",
    "conftest.py": "raise SystemExit('executed')\n",
    "pr_review/__init__.py": "raise SystemExit('executed')\n",
    "pyproject.toml": "[tool.ruff]\nexclude = ['*']\n",
    "ruff.toml": "exclude = ['*']\n",
    "sitecustomize.py": "raise SystemExit('executed')\n",
}


def test_pull_request_target_reviews_a_head_that_is_never_checked_out(upstream, server_refs, remote_box):
    """The base's checkout is enough; nothing of the head configures, executes or appears in the workspace."""
    server_refs.git("checkout", "-q", "--detach", upstream.head)
    hostile = server_refs.commit(HOSTILE_HEAD)
    server_refs.git("update-ref", "refs/pull/7/head", hostile)
    server_refs.git("checkout", "-q", "main")
    event = event_of(upstream, head={"ref": "topic", "sha": hostile, "repo": {"full_name": "stranger/demo"}})
    box = remote_box(event, name="pull_request_target")
    upstream.check_out(box.workspace, upstream.base)
    result = box.run(provider="offline")
    assert result.code == EXIT_OK, result.log
    assert set(FINDINGS) <= set(found(result))
    reviewed = {file["path"]: file["status"] for file in result.artifact["coverage"]["files"]}
    assert {reviewed[name] for name in HOSTILE_HEAD} == {"reviewed"}
    assert not (box.workspace / "conftest.py").exists()
    assert run_git(box.workspace, "status", "--porcelain") == ""


# Hostile text

CONTROLS = "".join(map(chr, range(32))) + "\x7f\x85\u2028\u202e\ufeff"
EVIL = (
    f"{CONTROLS}\n::set-output name=conclusion::clean\n::add-mask::e\n##[error]x\r\n"
    "<script>alert(1)</script><img src=//evil.example/x.png> ![x](//evil.example) @octocat [a](javascript:b)"
)
OURS = re.compile(r"::(add-mask|group|endgroup|notice|warning|error)\b")


@pytest.mark.parametrize("name", ["pull_request", "workflow_dispatch"])
def test_64_kib_of_hostile_text_reach_the_model_bounded_and_the_reports_escaped(
    upstream, remote_box, github, chat_server, chat_inputs, name
):
    text = {"title": (EVIL * 2)[:1024], "body": EVIL * (65536 // len(EVIL))}
    github.pull |= text
    chat_server.add(chat_server.completion(content=REVIEW, usage=None))
    box = remote_box(DISPATCH if name == "workflow_dispatch" else event_of(upstream, **text), name=name)
    upstream.check_out(box.workspace)
    result = box.run(**chat_inputs)
    assert (result.code, result.outputs["conclusion"]) == (EXIT_OK, "clean"), result.log
    for line in re.split(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028]", result.log):
        assert OURS.match(line) or not line.lstrip().startswith("::"), line
        assert "##[" not in line
    assert not set(result.log) & set(CONTROLS) - {"\n"}
    for hostile in ("<script", "<img", "![x]", "](javascript", "\u202e", "\x1b"):
        assert hostile not in result.summary
    (request,) = chat_server.bodies
    assert len(request["messages"][1]["content"].encode()) < 256 * 1024


def commit_many(repo, parent, count):
    """A commit with so many files below ``src``, the last with something to find; none is written out."""
    quiet, loud = (
        repo.git("hash-object", "-w", "--stdin", stdin=text)
        for text in ("value = 1\n", "def f(x=[]):\n    return x\n")
    )
    names = "".join(f"100644 blob {quiet}\t{number:05}.py\n" for number in range(count - 1))
    folder = repo.git("mktree", stdin=f"{names}100644 blob {loud}\t{count - 1:05}.py\n")
    others = repo.git("ls-tree", parent).replace("\tsrc", "\tsource")
    tree = repo.git("mktree", stdin=f"{others}\n040000 tree {folder}\tsrc\n")
    return repo.git("commit-tree", tree, "-p", parent, "-m", "Many")


def test_a_pull_request_of_10000_files_of_which_github_lists_3000(upstream, server_refs, remote_box, github):
    """Git's own diff is the truth; what GitHub does not list is said, and every file is accounted for."""
    head = commit_many(server_refs, upstream.merge_base, 10_000)
    server_refs.git("update-ref", "refs/pull/7/head", head)
    github.pull["head"]["sha"] = head
    github.change(10_000)
    box = remote_box(event_of(upstream, head={"ref": "topic", "sha": head, "repo": None}))
    upstream.check_out(box.workspace, upstream.base)
    result = box.run(provider="offline", include="src/0999*.py")
    assert result.code == EXIT_OK, result.log
    report = json.loads((box.workspace / result.outputs["report-path"]).read_bytes())
    assert [(finding["path"], finding["line"]) for finding in report["findings"]] == [("src/09999.py", 1)]
    assert report["coverage"]["reviewed"] == 10
    assert len({file["path"] for file in report["coverage"]["files"]}) >= 10_000
    assert report["run_notes"] == ["GitHub lists only 3000 changed files of this pull request."]
    assert len(result.summary.encode()) < 1024 * 1024
