import os
import shutil
import struct
import subprocess
import threading
import time
from contextlib import closing

import pytest

from pr_review.errors import ConfigError, RepositoryError
from pr_review.git.diff import compute_diff
from pr_review.git.object_store import MAX_MESSAGES, ObjectStore, resolve_ref
from pr_review.git.tree import CommitTree


def code(call, *args, **options):
    with pytest.raises((ConfigError, RepositoryError)) as caught:
        call(*args, **options)
    assert caught.value.detail.endswith(".")
    return caught.value.code


def chunk(data, name, entry):
    """Offset of a chunk in a commit-graph or multi-pack-index whose table starts at ``entry``."""
    while data[entry : entry + 4] != name:
        entry += 12
    return struct.unpack(">Q", data[entry + 4 : entry + 12])[0]


def rewrite(path, data):
    path.unlink()
    path.write_bytes(bytes(data))


@pytest.fixture
def pull(repo):
    """A base and a head commit that differ in ``x``."""
    base = repo.commit({"x": b"1\n", "y": b"same\n"})
    return base, repo.commit({"x": b"2\n", "y": b"same\n"}, parents=[base])


def added(store, pull):
    return [file.added_lines for file in compute_diff(store.git, *pull).files]


# What the workspace could do to a review.


def doctor_commit_graph(repo, change):
    """Let ``change`` edit the records of the graph, given their offsets (tree 20 bytes, parents 4 + 4)."""
    repo.git("commit-graph", "write", "--reachable")
    path = repo.git_dir / "objects/info/commit-graph"
    data = bytearray(path.read_bytes())
    ids, records = chunk(data, b"OIDL", 8), chunk(data, b"CDAT", 8)
    shas = [data[at : at + 20].hex() for at in range(ids, records, 20)]
    change(data, {sha: records + 36 * n for n, sha in enumerate(shas)})
    rewrite(path, data)


def test_a_doctored_commit_graph_does_not_change_the_diff(repo, open_store, pull):
    def swap_tree(data, record):
        base, head = (record[sha] for sha in pull)
        data[head : head + 20] = data[base : base + 20]

    doctor_commit_graph(repo, swap_tree)
    assert repo.git("diff", *pull) == "", "the control: plain git is fooled"
    assert added(open_store(repo.path), pull) == [{1: "2"}]


def test_a_doctored_commit_graph_does_not_change_the_merge_base(repo, open_store):
    root = repo.commit({"x": b"1\n"})
    base = repo.commit({"x": b"2\n"}, parents=[root])
    tip = repo.commit({"x": b"3\n"}, parents=[base], ref="refs/heads/tip")
    middle = repo.commit({"x": b"4\n"}, parents=[base])
    head = repo.commit({"x": b"5\n"}, parents=[middle])

    def skip_base(data, record):
        parent = slice(record[middle] + 20, record[middle] + 24)
        data[parent] = data[record[base] + 20 : record[base] + 24]

    doctor_commit_graph(repo, skip_base)
    assert repo.git("merge-base", tip, head) == root, "the control: plain git is fooled"
    assert open_store(repo.path).merge_base(tip, head) == base


def test_a_doctored_multi_pack_index_does_not_change_a_file(repo, open_store, pull):
    repo.git("repack", "-adq")
    repo.git("multi-pack-index", "write")
    path = repo.git_dir / "objects/pack/multi-pack-index"
    data = bytearray(path.read_bytes())
    ids, offsets = chunk(data, b"OIDL", 12), chunk(data, b"OOFF", 12)
    blobs = [repo.git("rev-parse", f"{sha}:x") for sha in pull]
    count = (offsets - ids) // 20
    order = [data[ids + 20 * n : ids + 20 * n + 20].hex() for n in range(count)]
    first, second = (offsets + 8 * order.index(blob) for blob in blobs)
    data[first : first + 8], data[second : second + 8] = data[second : second + 8], data[first : first + 8]
    rewrite(path, data)
    assert repo.git("cat-file", "blob", blobs[1]) == "1", "the control: plain git is fooled"
    assert CommitTree.load(open_store(repo.path).git, pull[1]).read("x").text == "2\n"


def test_replace_refs_do_not_change_the_diff(repo, open_store, pull):
    repo.git("replace", pull[1], pull[0])
    assert repo.git("diff", *pull) == "", "the control: plain git is fooled"
    assert added(open_store(repo.path), pull) == [{1: "2"}]


def test_replace_refs_in_the_store_itself_are_ignored(repo, open_store, pull):
    store = open_store(repo.path)
    folder = store.git.git_dir / "refs/replace"
    folder.mkdir()
    (folder / pull[1]).write_text(pull[0] + "\n")
    assert added(store, pull) == [{1: "2"}]


def test_attributes_hooks_filters_and_configuration_are_never_consulted(repo, open_store, pull, tmp_path):
    marker = tmp_path / "ran"
    for name in ("post-checkout", "reference-transaction", "fsmonitor"):
        hook = repo.git_dir / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
        hook.chmod(0o755)
    (repo.git_dir / "info").mkdir(exist_ok=True)
    (repo.git_dir / "info/attributes").write_text("* binary -diff filter=evil diff=evil\n")
    repo.git("config", "diff.evil.textconv", f"touch {marker} #")
    repo.git("config", "diff.external", f"touch {marker} #")
    repo.git("config", "filter.evil.smudge", f"touch {marker} #")
    repo.git("config", "core.fsmonitor", str(repo.git_dir / "hooks/fsmonitor"))
    repo.git("diff", *pull, check=False)
    assert marker.exists(), "the control: plain git runs it"
    marker.unlink()
    store = open_store(repo.path)
    store.ensure(*pull, None, None)
    assert store.merge_base(*pull) == pull[0]
    assert added(store, pull) == [{1: "2"}]
    assert not marker.exists()


def test_a_broken_configuration_does_not_matter(repo, open_store, pull):
    (repo.git_dir / "config").write_text("[broken")
    store = open_store(repo.path)
    store.ensure(*pull, None, None)
    assert added(store, pull) == [{1: "2"}]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give files away")
def test_a_workspace_of_another_user(repo, open_store, pull):
    """A container runs as root on the runner's files; plain git calls that dubious ownership."""
    subprocess.run(["chown", "-R", "12345:12345", repo.path], check=True)
    assert "dubious" in subprocess.run(["git", "log"], cwd=repo.path, capture_output=True, text=True).stderr
    store = open_store(repo.path)
    store.ensure(*pull, None, None)
    assert added(store, pull) == [{1: "2"}]
    assert CommitTree.load(store.git, pull[1]).read("x").text == "2\n"


def test_the_workspace_is_only_read(repo, open_store, pull):
    def snapshot():
        return {path: path.stat().st_mtime_ns for path in repo.path.rglob("*")}

    before = snapshot()
    store = open_store(repo.path)
    store.ensure(*pull, None, None)
    store.check_complete(*pull)
    store.commit_messages(*pull)
    added(store, pull)
    assert snapshot() == before


# The directory is always removed.


def test_the_store_is_removed_at_the_end_and_after_an_error(repo, scratch, pull):
    store = ObjectStore.allocate(repo.path, scratch, env=os.environ, remaining=lambda: 60.0)
    store.fill()
    assert store.git.objects.info(pull[0])
    assert [path.name for path in scratch.iterdir()] == [store.git.git_dir.name]
    with pytest.raises(KeyError), closing(store):
        raise KeyError
    assert list(scratch.iterdir()) == []
    store.close()
    assert code(store.git.run, "rev-parse", "HEAD") == "git_cancelled"


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_a_store_that_could_not_be_filled_leaves_nothing(repo, scratch, shim, seconds):
    shim.script("exit 1")
    with closing(ObjectStore.allocate(repo.path, scratch, env=shim.env, remaining=lambda: seconds)) as store:
        assert code(store.fill) == ("git_failed" if seconds else "git_timeout")
    assert list(scratch.iterdir()) == []


def test_a_store_can_be_closed_before_it_is_filled(repo, scratch, shim):
    """A signal may come before the first git runs."""
    ObjectStore.allocate(repo.path, scratch, env=shim.env, remaining=lambda: 60.0).close()
    assert (shim.calls, list(scratch.iterdir())) == ([], [])


def test_a_store_is_removed_while_a_worker_waits_for_git(repo, scratch, shim, pull):
    shim.script('case " $* " in *" diff-tree "*|*" --batch-command "*) sleep 60;; esac')
    store = ObjectStore.allocate(repo.path, scratch, env=shim.env, remaining=lambda: 60.0)
    store.fill()
    outcomes = []
    work = [lambda: compute_diff(store.git, *pull), lambda: store.git.objects.info(pull[0])]
    threads = [threading.Thread(target=lambda call=call: outcomes.append(code(call))) for call in work]
    for thread in threads:
        thread.start()
    while len(shim.calls) < 3:
        time.sleep(0.01)
    start = time.monotonic()
    store.close()
    assert time.monotonic() - start < 1
    assert list(scratch.iterdir()) == []
    for thread in threads:
        thread.join(5)
    assert outcomes == ["git_cancelled"] * 2


def test_no_place_for_the_store_is_one_clear_error(repo, scratch):
    found = code(ObjectStore.allocate, repo.path, scratch / "no", env=os.environ, remaining=lambda: 60.0)
    assert found == "scratch_unwritable"


# Completeness.


def test_a_whole_checkout_needs_no_fetch(repo, open_store, shim, pull):
    store = open_store(repo.path, shim.env)
    store.ensure(*pull, None, None)
    store.check_complete(*pull)
    assert shim.count("fetch") == 0
    assert shim.count("rev-list") == 1


@pytest.mark.parametrize("lost", ["head:x", "base:x", "head:y", "head:", "base:", "head", "base"])
def test_anything_missing_is_said_with_the_two_lines_to_add(repo, open_store, pull, lost):
    """A blob of either side, a tree, a commit: git grep and git diff could otherwise say nothing."""
    side, _, path = lost.partition(":")
    sha = pull[side == "head"]
    repo.remove_object(repo.git("rev-parse", f"{sha}:{path}" if ":" in lost else sha))
    store = open_store(repo.path)
    for call in (store.check_complete, lambda *shas: store.ensure(*shas, None, None)):
        with pytest.raises(ConfigError) as caught:
            call(*pull)
        assert caught.value.code == "missing_commits"
        assert "with:\n  fetch-depth: 0" in caught.value.advice


def test_what_the_review_does_not_need_may_be_missing(repo, open_store):
    """An old blob that neither head nor base holds, as in a blobless partial clone."""
    old = repo.commit({"x": b"0\n"})
    base = repo.commit({"x": b"1\n"}, parents=[old])
    head = repo.commit({"x": b"2\n"}, parents=[base])
    repo.remove_object(repo.git("rev-parse", f"{old}:x"))
    open_store(repo.path).ensure(base, head, None, None)


@pytest.mark.parametrize("sha", ["", "HEAD", "--all", "1" * 39])
def test_only_full_ids_are_looked_up(repo, open_store, pull, sha):
    assert code(open_store(repo.path).ensure, pull[0], sha, None, None) == "invalid_commit"


# Merge base.


def test_the_merge_base_is_not_the_tip_of_the_base_branch(repo, open_store):
    root = repo.commit({"x": b"1\n"})
    tip = repo.commit({"x": b"1\n", "theirs": b""}, parents=[root])
    head = repo.commit({"x": b"2\n"}, parents=[root])
    assert open_store(repo.path).merge_base(tip, head) == root


def test_a_shallow_history_gives_no_merge_base(repo, open_store, tmp_path):
    """Here git answers with status 0 and a wrong commit: the right one's link was cut off."""
    root = repo.commit({"x": b"0\n"})
    right = repo.commit({"x": b"1\n"}, parents=[root])
    side = repo.commit({"x": b"2\n"}, parents=[right])
    tip = repo.commit({"x": b"3\n"}, parents=[root, side], ref="refs/heads/tip")
    head = repo.commit({"x": b"4\n"}, parents=[right], ref="refs/heads/head")
    head = repo.commit({"x": b"5\n"}, parents=[head, root], ref="refs/heads/head")
    clone = tmp_path / "clone"
    shutil.copytree(repo.path, clone)
    (clone / ".git/shallow").write_text(side + "\n")
    plain = ["git", "merge-base", tip, head]
    wrong = subprocess.run(plain, cwd=clone, capture_output=True, text=True)
    assert (wrong.returncode, wrong.stdout.strip()) == (0, root), "the control: plain git is wrong"
    assert open_store(repo.path).merge_base(tip, head) == right
    assert open_store(clone).merge_base(tip, head) is None


def test_the_shallow_file_is_copied_so_that_cut_parents_are_not_looked_for(repo, open_store, tmp_path):
    base = repo.commit({"x": b"1\n"})
    head = repo.commit({"x": b"2\n"}, parents=[base], message="only this")
    repo.git("clone", "--quiet", "--depth=1", f"file://{repo.path}", str(tmp_path / "clone"))
    store = open_store(tmp_path / "clone")
    assert store.git.run("rev-list", head).decode().split() == [head]


def test_a_missing_parent_gives_no_merge_base_instead_of_none_in_common(repo, open_store):
    root = repo.commit({"x": b"1\n"})
    lost = repo.commit({"x": b"2\n"}, parents=[root])
    tip = repo.commit({"x": b"3\n"}, parents=[lost])
    head = repo.commit({"x": b"4\n"}, parents=[root])
    repo.remove_object(lost)
    assert open_store(repo.path).merge_base(tip, head) is None


def test_no_common_history_is_one_clear_error(repo, open_store):
    one, two = repo.commit({"x": b"1\n"}), repo.commit({"x": b"2\n"})
    assert code(open_store(repo.path).merge_base, one, two) == "no_common_history"


def test_base_and_head_may_be_one_commit(repo, open_store, pull):
    store = open_store(repo.path)
    store.ensure(pull[1], pull[1], None, None)
    assert store.merge_base(pull[1], pull[1]) == pull[1]
    assert compute_diff(store.git, pull[1], pull[1]).files == ()


# Commit messages.


def test_messages_are_those_of_the_branch_oldest_first(repo, open_store):
    base = repo.commit({"x": b"1\n"}, message="before")
    one = repo.commit({"x": b"2\n"}, parents=[base], message="one\n\nbody ü")
    two = repo.commit({"x": b"3\n"}, parents=[one], message="two")
    assert open_store(repo.path).commit_messages(base, two) == ("one\n\nbody ü", "two")


@pytest.mark.parametrize("count", [MAX_MESSAGES - 1, MAX_MESSAGES, MAX_MESSAGES + 1])
def test_at_most_100_messages(repo, open_store, count):
    base = sha = repo.commit({"x": b""})
    tree = repo.git("rev-parse", f"{base}^{{tree}}")
    for n in range(count):
        sha = repo.git("commit-tree", tree, "-p", sha, "-m", f"m{n}")
    messages = open_store(repo.path).commit_messages(base, sha)
    assert messages == tuple(f"m{n}" for n in range(max(0, count - MAX_MESSAGES), count))


def test_a_huge_message_is_cut_not_an_error(repo, open_store):
    base = repo.commit({"x": b""})
    head = repo.commit({"x": b"1"}, parents=[base], message="a" * 400_000)
    (message,) = open_store(repo.path).commit_messages(base, head)
    assert message == "a" * 262_144


def test_unknown_commits_have_no_messages_but_an_error(repo, open_store, pull):
    assert code(open_store(repo.path).commit_messages, "1" * 40, pull[1]) == "git_failed"


# Refs, for pr-review local.


def test_refs_are_resolved_to_commits(repo, pull):
    repo.git("tag", "-a", "v1", "-m", "x", pull[0])
    for ref, sha in {
        "main": pull[1],
        "HEAD": pull[1],
        "main~1": pull[0],
        "v1": pull[0],
        pull[0][:9]: pull[0],
    }.items():
        assert resolve_ref(repo.path, ref, env=os.environ, remaining=lambda: 60.0) == sha


@pytest.mark.parametrize(
    "ref", ["nope", "-h", "--all", "main:x", "a b", "", "main..HEAD", "\n", "a\0b", "\ud800"]
)
def test_a_ref_that_is_no_commit(repo, pull, ref):
    assert pull
    assert code(resolve_ref, repo.path, ref, env=os.environ, remaining=lambda: 60.0) == "unknown_ref"


@pytest.mark.parametrize("ref", ["HEAD", "main"])
def test_an_unborn_repository_is_said(repo, ref):
    assert code(resolve_ref, repo.path, ref, env=os.environ, remaining=lambda: 60.0) == "empty_repository"


def test_resolving_a_ref_fetches_nothing_whatever_the_configuration_says(repo, new_repo, shim, tmp_path):
    """Older gits do not know GIT_NO_LAZY_FETCH: for a missing object they would run this "server"."""
    server = new_repo("server")
    server.commit({"a": b""})
    repo.commit({"a": b"1"})
    marker = tmp_path / "executed"
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"file://{server.path}",
        "remote.origin.uploadpack": f"touch {marker}; git-upload-pack",
    }.items():
        repo.git("config", key, value)
    (repo.git_dir / "refs/heads/ghost").write_text("1" * 40 + "\n")
    shim.script("unset GIT_NO_LAZY_FETCH")
    with pytest.raises(ConfigError):
        resolve_ref(repo.path, "ghost", env=shim.env, remaining=lambda: 60.0)
    assert shim.calls
    assert not marker.exists()
