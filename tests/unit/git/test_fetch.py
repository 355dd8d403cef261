"""Fetching what a checkout lacks, from real servers: over file://, and git's own HTTP backend on loopback."""

import base64
import os
import random
import subprocess
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pydantic import SecretStr

from pr_review.errors import ConfigError, RepositoryError
from pr_review.git.diff import compute_diff
from pr_review.git.fetch import FetchSource, credentials
from pr_review.git.search import Searcher
from pr_review.git.tree import CommitTree

TOKEN = "ghs_secret-token"
BIG = random.Random(1).randbytes(1_000_000)
# Enough files that git keeps a pack as it came; of few objects it stores only those it lacks.
SAME = {"big": BIG} | {f"f{n}": b"%d\n" % n for n in range(120)}
EXPECTED = f"Basic {base64.b64encode(f'x-access-token:{TOKEN}'.encode()).decode()}"


def code(call, *args):
    with pytest.raises((ConfigError, RepositoryError)) as caught:
        call(*args)
    assert caught.value.advice
    return caught.value.code


@dataclass
class Upstream:
    """A server-side repository with pull request 7: base tip, head and merge commit."""

    repo: object
    base: str
    head: str
    merge: str

    @property
    def url(self):
        return f"file://{self.repo.path}"

    @property
    def source(self):
        return FetchSource(self.url)

    def checkout(self, path, ref="refs/pull/7/merge", *options):
        """What actions/checkout leaves: one commit, without history."""
        self.repo.git("init", "--quiet", str(path))
        for args in (
            ["fetch", "--quiet", "--depth=1", *options, self.url, ref],
            ["checkout", "-q", "FETCH_HEAD"],
        ):
            subprocess.run(["git", *args], cwd=path, check=True, capture_output=True)
        return path


@pytest.fixture
def upstream(new_repo):
    repo = new_repo("upstream")
    root = repo.commit(SAME | {"x": b"0\n"})
    base = repo.commit(SAME | {"x": b"0\n", "theirs": b"t\n"}, parents=[root])
    head = repo.commit(SAME | {"x": b"1\n"}, parents=[root], ref="refs/pull/7/head")
    merged = SAME | {"x": b"1\n", "theirs": b"t\n"}
    merge = repo.commit(merged, parents=[base, head], ref="refs/pull/7/merge")
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return Upstream(repo, base, head, merge)


def downloaded(store):
    return sum(file.stat().st_size for file in (store.git.git_dir / "objects").rglob("*") if file.is_file())


def review(store, upstream):
    """Read, search and compare, as a run does."""
    tree = CommitTree.load(store.git, upstream.head)
    assert tree.read("x").text == "1\n"
    assert len(
        store.git.objects.contents(store.git.run("rev-parse", f"{upstream.head}:big").decode().strip())
    ) == len(BIG)
    assert Searcher(store.git, tree, upstream.head).search("1", "x", 5)[0]
    changed = compute_diff(store.git, upstream.base, upstream.head).files
    assert [(file.path, file.status.value) for file in changed] == [("theirs", "deleted"), ("x", "modified")]


@pytest.mark.parametrize("ref", ["refs/pull/7/merge", "refs/heads/main", "refs/pull/7/head"])
def test_missing_commits_come_without_what_is_already_here(upstream, open_store, tmp_path, ref):
    """HEAD is offered as a have: else the big file, which did not change, comes again."""
    store = open_store(upstream.checkout(tmp_path / "work", ref))
    store.ensure(upstream.base, upstream.head, upstream.source, 7)
    review(store, upstream)
    assert downloaded(store) < 20_000
    assert store.merge_base(upstream.base, upstream.head) is None


def test_a_whole_clone_of_the_base_needs_the_head_only(upstream, open_store, tmp_path):
    path = tmp_path / "work"
    upstream.repo.git("clone", "--quiet", "--single-branch", upstream.url, str(path))
    assert not (path / ".git/shallow").exists()
    store = open_store(path)
    store.ensure(upstream.base, upstream.head, upstream.source, 7)
    review(store, upstream)
    assert downloaded(store) < 20_000


def test_a_fetch_leaves_the_workspace_as_it_was(open_store, new_repo):
    """Unpacking a few objects would touch the times of those the workspace has loose."""
    server, work = new_repo("server"), new_repo("work")
    sha = server.commit({"x": b"1\n", "y": b"2\n"})
    work.commit({"x": b"1\n"})
    for file in (work.git_dir / "objects").rglob("*"):
        os.utime(file, (1, 1))
    open_store(work.path).ensure(sha, sha, FetchSource(f"file://{server.path}"), None)
    assert {file.stat().st_mtime for file in (work.git_dir / "objects").rglob("*")} == {1}


def test_an_empty_workspace_gets_both_commits_without_their_history(upstream, open_store, new_repo):
    store = open_store(new_repo("work").path)
    store.ensure(upstream.base, upstream.head, upstream.source, 7)
    review(store, upstream)
    commits = store.git.run("rev-list", upstream.base, upstream.head).decode().split()
    assert set(commits) == {upstream.base, upstream.head}


@pytest.mark.parametrize("filter_spec", ["blob:none", "tree:0"])
def test_a_partial_clone_is_fetched_whole_at_once(upstream, open_store, tmp_path, shim, filter_spec):
    """Commits are there while blobs are not: a have would make the server leave the blobs out."""
    path = tmp_path / "work"
    options = ["--quiet", "--no-checkout", f"--filter={filter_spec}"]
    upstream.repo.git("clone", *options, upstream.url, str(path))
    upstream.repo.git("-C", str(path), "fetch", "--quiet", "origin", "refs/pull/7/head")
    assert list((path / ".git/objects/pack").glob("*.promisor"))
    store = open_store(path, shim.env)
    assert code(store.check_complete, upstream.base, upstream.head) == "missing_commits"
    store.ensure(upstream.base, upstream.head, upstream.source, 7)
    assert shim.count("fetch") == 1
    assert shim.count("--refetch") == 1
    review(store, upstream)


def test_nothing_is_fetched_lazily_behind_our_back(upstream, open_store, tmp_path):
    """The workspace's promisor remote is unknown to the store: a missing blob is an error, not a download."""
    path = tmp_path / "work"
    upstream.repo.git("clone", "--quiet", "--no-checkout", "--filter=blob:none", upstream.url, str(path))
    store = open_store(path)
    tree = CommitTree.load(store.git, upstream.base)
    assert code(tree.read, "x") == "object_missing"
    assert code(Searcher(store.git, tree, upstream.base).search, "0", "", 5) == "search_failed"


def test_a_server_that_refuses_ids_is_asked_for_the_pull_request(upstream, open_store, tmp_path, shim):
    shim.script(f'case " $* " in *" fetch "*{upstream.head}*) echo "fatal: not our ref" >&2; exit 128;; esac')
    store = open_store(upstream.checkout(tmp_path / "work", "refs/heads/main"), shim.env)
    store.ensure(upstream.base, upstream.head, upstream.source, 7)
    assert shim.count("refs/pull/7/head") == 1
    review(store, upstream)


@pytest.mark.parametrize("number", [7, None])
def test_a_commit_nobody_knows_is_said(upstream, open_store, tmp_path, number):
    store = open_store(upstream.checkout(tmp_path / "work"))
    assert code(store.ensure, upstream.base, "1" * 40, upstream.source, number) == "commit_not_found"


def test_without_a_source_the_missing_history_is_said(upstream, open_store, tmp_path):
    store = open_store(upstream.checkout(tmp_path / "work"))
    assert code(store.ensure, upstream.base, upstream.head, None, 7) == "missing_commits"


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/o/r.git", "http://no-such-host.invalid/o/r"])
def test_a_server_that_is_not_there_is_said(upstream, open_store, tmp_path, url):
    store = open_store(upstream.checkout(tmp_path / "work"))
    assert code(store.ensure, upstream.base, upstream.head, FetchSource(url), 7) == "fetch_unreachable"


@pytest.mark.parametrize("url", ["ext::touch {marker}", "ssh://git@host/x", "--upload-pack=touch {marker}"])
def test_other_transports_and_options_are_refused(upstream, open_store, tmp_path, shim, url):
    marker = tmp_path / "ran"
    ssh = shim.folder / "ssh"
    ssh.write_text(f"#!/bin/sh\ntouch {marker}\n")
    ssh.chmod(0o755)
    store = open_store(upstream.checkout(tmp_path / "work"), shim.env)
    with pytest.raises(RepositoryError):
        store.ensure(upstream.base, upstream.head, FetchSource(url.format(marker=marker)), None)
    assert not marker.exists()


def test_the_workspaces_refs_and_configuration_are_not_read_for_haves(upstream, open_store, tmp_path, shim):
    """By default git lists the refs of an alternate in that repository, under its own configuration."""
    path = upstream.checkout(tmp_path / "work")
    (path / ".git/config").write_text("[broken")
    shim.script(f"export GIT_TRACE={shim.folder}/trace")
    store = open_store(path, shim.env)
    store.ensure(upstream.base, upstream.head, upstream.source, 7)
    trace = (shim.folder / "trace").read_text()
    assert "run_command: " in trace
    assert "for-each-ref" not in trace
    review(store, upstream)


@dataclass
class Backend:
    """git http-backend behind a server that wants the token."""

    url: str = ""
    seen: list = field(default_factory=list)
    token: str = TOKEN
    location: str = ""


@pytest.fixture
def backend(upstream):
    state = Backend()

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            state.seen.append((self.path, self.headers.get("Authorization")))
            if state.location:
                self.send_response(302)
                self.send_header("Location", state.location + self.path)
                self.end_headers()
                return
            if self.headers.get("Authorization") != EXPECTED.replace(TOKEN, state.token):
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            path, _, query = self.path.partition("?")
            environment = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(upstream.repo.path.parent),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            done = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            self.wfile.write(b"HTTP/1.0 200 OK\r\n" + head + b"\r\n\r\n" + content)

        do_GET = do_POST = answer  # noqa: N815 -- http.server's names

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}/upstream"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield state
        server.shutdown()
        thread.join()


def test_the_token_is_sent_in_a_header_and_kept_out_of_argv_and_files(
    upstream, backend, open_store, tmp_path, shim
):
    shim.script(f'tr "\\0" "\\n" < /proc/$$/cmdline >> {shim.folder}/argv')
    path = upstream.checkout(tmp_path / "work")
    store = open_store(path, shim.env)
    store.ensure(upstream.base, upstream.head, FetchSource(backend.url, SecretStr(TOKEN)), 7)
    review(store, upstream)
    assert {header for _, header in backend.seen} == {EXPECTED}
    secrets = [TOKEN.encode(), EXPECTED.removeprefix("Basic ").encode()]
    files = [
        file for root in (store.git.git_dir, path, shim.folder) for file in root.rglob("*") if file.is_file()
    ]
    assert not [file for file in files if any(secret in file.read_bytes() for secret in secrets)]
    assert "fetch" in (shim.folder / "argv").read_text(errors="replace")


def test_a_wrong_token_is_said_without_showing_it(upstream, backend, open_store, tmp_path):
    store = open_store(upstream.checkout(tmp_path / "work"))
    source = FetchSource(backend.url, SecretStr("wrong-token"))
    with pytest.raises(RepositoryError) as caught:
        store.ensure(upstream.base, upstream.head, source, 7)
    assert caught.value.code == "fetch_denied"
    assert "wrong-token" not in f"{caught.value!r}{caught.value.advice}{source!r}"


def test_a_missing_token_does_not_prompt(upstream, backend, open_store, tmp_path):
    store = open_store(upstream.checkout(tmp_path / "work"))
    assert code(store.ensure, upstream.base, upstream.head, FetchSource(backend.url), 7) == "fetch_denied"


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
def test_only_the_given_proxy_is_used(upstream, backend, open_store, tmp_path, chat_server, name):
    """The variables of the environment do not count: whoever made the source has read them."""
    env = {"PATH": os.environ["PATH"], name: "http://127.0.0.1:9"}
    store = open_store(upstream.checkout(tmp_path / "work"), env)
    store.ensure(upstream.base, upstream.head, FetchSource(backend.url, SecretStr(TOKEN)), 7)
    assert backend.seen
    other = open_store(upstream.checkout(tmp_path / "other"), env)
    source = FetchSource("http://git.example/o/r", SecretStr(TOKEN), chat_server.base_url)
    with pytest.raises(RepositoryError):
        other.ensure(upstream.base, upstream.head, source, None)
    assert chat_server.requests[0].path.startswith("http://git.example/o/r/info/refs")
    assert chat_server.base_url not in repr(source)


def test_a_redirect_does_not_carry_the_token_away(upstream, backend, open_store, tmp_path, chat_server):
    backend.location = chat_server.base_url
    store = open_store(upstream.checkout(tmp_path / "work"))
    with pytest.raises(RepositoryError):
        store.ensure(upstream.base, upstream.head, FetchSource(backend.url, SecretStr(TOKEN)), None)
    assert chat_server.requests == []


def test_the_token_is_bound_to_its_host():
    source = FetchSource("https://github.example:8443/o/r", SecretStr(TOKEN))
    assert credentials(source) == {
        "http.https://github.example:8443/.extraheader": f"Authorization: {EXPECTED}"
    }
    assert credentials(FetchSource("https://github.com/o/r")) == {}
