import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.paths import is_addressable, validate_path
from pr_review.errors import RepositoryError, ToolFailure
from pr_review.git.tree import CommitTree, TreeEntry, decode_path, encode_path, split_lines

MIB = 1024 * 1024


@pytest.fixture
def load(repo, open_git):
    """Commit files and load the tree of that commit."""

    def build(files):
        return CommitTree.load(open_git(repo), repo.commit(files))

    return build


def refusal(call, *args):
    with pytest.raises(ToolFailure) as caught:
        call(*args)
    return caught.value.code


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "//server/share",
        "C:/x",
        "c:x",
        "a\\b",
        "\\\\server\\share",
        "a\0b",
        "..",
        "a/../b",
        "../a",
        ".git",
        ".git/config",
        "a/.git/config",
        ".GIT/config",
        "a/.Git",
        "\ud800",
    ],
)
def test_path_rule_refuses(path):
    assert refusal(validate_path, path) == "invalid_path"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ""),
        (".", ""),
        ("./a//b/", "a/b"),
        ("a..b/...", "a..b/..."),
        (".github/x", ".github/x"),
        (":(glob)*", ":(glob)*"),
        ("a\nb", "a\nb"),
        ("é", "é"),
    ],
)
def test_path_rule_accepts_and_normalises(path, expected):
    assert validate_path(path) == expected


@given(st.text())
def test_an_accepted_path_is_relative_contained_and_stable(path):
    try:
        accepted = validate_path(path)
    except ToolFailure:
        return
    parts = accepted.split("/")
    assert validate_path(accepted) == accepted
    assert not accepted.startswith("/")
    assert "\\" not in accepted
    assert "\0" not in accepted
    assert ".." not in parts
    assert ".git" not in [part.lower() for part in parts]
    accepted.encode()


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_lines_end_at_newlines_only(text):
    lines = split_lines(text)
    assert "\n".join(lines) == text.removesuffix("\n")
    assert len(lines) == text.count("\n") + (not text.endswith("\n") and text != "")


def test_files_are_sorted_and_hold_links_to_regular_files_but_no_submodules(load, repo):
    tree = load(
        {
            "b.py": b"",
            "a-b/x": b"",
            "a/x": b"",
            "a.py": b"",
            "to_file": repo.link("a/x"),
            "to_folder": repo.link("a"),
            "to_nothing": repo.link("missing"),
            "to_outside": repo.link("../secret"),
            "to_host": repo.link("/etc/passwd"),
            "sub": repo.submodule("1" * 40),
        }
    )
    assert tree.files() == ["a-b/x", "a.py", "a/x", "b.py", "to_file"]
    assert tree.files() == sorted(tree.files())


def test_an_empty_tree_has_no_files(load):
    tree = load({})
    assert tree.files() == []
    assert tree.list("", None, 5) == ([], None)


ODD_NAMES = {
    "a\nb": "a\nb",
    'q"uote': 'q"uote',
    "tab\t": "tab\t",
    " space ": " space ",
    ":(glob)*": ":(glob)*",
    "-n": "-n",
    "é": "é",
    "c:x/C:": "c:x/C:",
    "back\\slash": "back\\\\slash",
    "\\\\server\\share": "\\\\\\\\server\\\\share",
    "d\\/e": "d\\\\/e",
    "\\x41": "\\\\x41",
    b"bad\xff": "bad\\xff",
    b"\xfe/\\\xff": "\\xfe/\\\\\\xff",
}


def test_every_name_is_read_as_it_is_shown(load):
    tree = load(dict.fromkeys(ODD_NAMES, b"x\n"))
    assert tree.files() == sorted(ODD_NAMES.values())
    assert all(tree.read(name).path == name for name in ODD_NAMES.values())
    assert tree.list("c:x", None, 9)[0] == ["c:x/C:"]
    assert tree.list("d\\\\", None, 9)[0] == ["d\\\\/e"]


@pytest.mark.parametrize(
    "path", ["back\\slash", "c:", "C:x/C:", "c:/x/C:", "x\\41", "bad\\xfe", ".\\back\\\\slash"]
)
def test_what_is_no_name_of_the_commit_follows_the_rule_of_paths(load, path):
    assert refusal(load(dict.fromkeys(ODD_NAMES, b"")).read, path) == "invalid_path"


@given(st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name))
def test_a_shown_name_gives_the_raw_one_back(name):
    assert encode_path(decode_path(name)) == name


def test_a_tree_that_holds_dot_git_does_not_show_it(repo, open_git):
    """No git client writes such a tree, but a crafted one can hold it."""
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"token")
    inner = repo.git("mktree", stdin=f"100644 blob {blob}\tconfig\n".encode())
    outer = repo.git("mktree", stdin=f"040000 tree {inner}\t.git\n040000 tree {inner}\tok\n".encode())
    tree = CommitTree.load(open_git(repo), repo.git("commit-tree", outer, "-m", "x"))
    assert tree.files() == ["ok/config"]
    assert refusal(tree.read, ".git/config") == "invalid_path"


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_pages_join_to_the_whole_listing(load, limit):
    names = ["a/1", "a/2", "a0", "b", "c/d/e"]
    tree = load(dict.fromkeys(names, b""))
    pages, cursor = [], None
    while True:
        page, cursor = tree.list("", cursor, limit)
        pages += page
        if cursor is None:
            break
        assert cursor == page[-1]
    assert pages == sorted(names)


@pytest.mark.parametrize(("limit", "cursor"), [(1, "a/1"), (2, None), (3, None)])
def test_the_cursor_is_given_only_when_more_follows(load, limit, cursor):
    assert load({"a/1": b"", "a/2": b"", "a0": b""}).list("a", None, limit)[1] == cursor


def test_listing_a_folder_stays_in_it_and_ignores_a_cursor_before_it(load):
    tree = load(dict.fromkeys(["a-/x", "a/x", "a/y", "a0", "z"], b""))
    assert tree.list("a", None, 9) == (["a/x", "a/y"], None)
    assert tree.list("a", "A", 9) == (["a/x", "a/y"], None)
    assert tree.list("a", "zz", 9) == ([], None)
    assert tree.list("./a/", None, 9) == (["a/x", "a/y"], None)


def test_listing_refuses_files_and_unknown_folders(load, repo):
    tree = load({"a/x": b"", "sub": repo.submodule("1" * 40), "out": repo.link("..")})
    assert refusal(tree.list, "a/x", None, 9) == "not_a_directory"
    assert refusal(tree.list, "sub", None, 9) == "not_a_directory"
    assert refusal(tree.list, "b", None, 9) == "path_not_found"
    assert refusal(tree.list, "out", None, 9) == "invalid_path"


def test_a_linked_folder_lists_the_real_paths(load, repo):
    assert load({"a/x": b"", "l": repo.link("a")}).list("l", None, 9) == (["a/x"], None)


@pytest.mark.parametrize(
    ("target", "result"),
    [
        ("x", "d/x"),
        ("./x", "d/x"),
        ("../top", "top"),
        ("../d/../d/x", "d/x"),
        ("l2", "top"),
        ("folder/x", "d/x"),
        ("/top", "invalid_path"),
        ("../../top", "invalid_path"),
        ("../../../../etc/passwd", "invalid_path"),
        ("link", "invalid_path"),
        ("missing", "path_not_found"),
        ("missing/../x", "path_not_found"),
        ("x/y", "path_not_found"),
        ("x/..", "path_not_found"),
        ("../.git/config", "path_not_found"),
        ("a\\b", "path_not_found"),
        ("p" * 4093, "path_not_found"),  # with the folder's "d/" 4,095 characters
        ("p" * 4094, "path_not_found"),
        ("p" * 4095, "invalid_path"),
        ("€" * 1365, "path_not_found"),  # 4,095 bytes
        ("€" * 1365 + "p", "path_not_found"),
        ("€" * 1365 + "pp", "invalid_path"),
    ],
)
def test_a_link_resolves_inside_the_tree_only(load, repo, target, result):
    tree = load(
        {
            "top": b"",
            "d/x": b"",
            "d/link": repo.link(target),
            "d/l2": repo.link("../l3"),
            "l3": repo.link("top"),
            "d/folder": repo.link("../d"),
        }
    )
    if "_" in result:
        assert refusal(tree.resolve, "d/link") == result
        assert not tree.is_file("d/link")
    else:
        assert tree.resolve("d/link") == result
        assert tree.is_file("d/link")


@pytest.mark.parametrize(("hops", "found"), [(255, True), (256, True), (257, False)])
def test_at_most_256_components_are_walked(load, repo, hops, found):
    chain = {f"l{n}": repo.link(f"l{n + 1}") for n in range(hops)}
    assert load(chain | {f"l{hops}": b""}).is_file("l0") is found


def test_a_link_to_itself_is_refused(load, repo):
    tree = load({"a": repo.link("b"), "b": repo.link("a"), "c": repo.link("c/c/c")})
    assert refusal(tree.resolve, "a") == refusal(tree.resolve, "c") == "invalid_path"


def test_hostile_links_take_bounded_time(load, repo):
    """Each link walks through a very deep folder, once by name and then by way of another link."""
    deep = "/".join(["d"] * 800)
    tree = load(
        {f"{deep}/x": b"", "top": repo.link(f"./{deep}/../x"), "...": repo.link(deep)}
        | {f"l{n}": repo.link(f"{'.../../' * 50}{n}") for n in range(500)}
    )
    start = time.process_time()
    assert tree.files() == [f"{deep}/x"]
    assert time.process_time() - start < 5


def test_reading_gives_text_and_lines_as_git_counts_them(load):
    tree = load({"x": "a\r\nb\x0cc\u2028d\x85\n\ne".encode()})
    assert tree.read("x").lines == ("a\r", "b\x0cc\u2028d\x85", "", "e")
    assert tree.read("./x").path == "x"


def test_one_nul_does_not_hide_a_source_file(load):
    assert load({"x.py": b"a = 1\0\n"}).read("x.py").lines == ("a = 1\0",)


@pytest.mark.parametrize(
    ("content", "lines", "encoding"),
    [
        ("a\nä".encode("latin-1"), ("a", "ä"), "Latin-1"),
        ("a\r\n上\n".encode("utf-16"), ("a\r", "上"), "UTF-16"),
        ("\ufeffa\n".encode("utf-16-be"), ("a",), "UTF-16"),
        ("\ufeffa\n".encode(), ("\ufeffa",), "UTF-8"),
    ],
)
def test_every_text_is_read_and_its_encoding_named(load, content, lines, encoding):
    file = load({"x": content}).read("x")
    assert (file.lines, file.encoding) == (lines, encoding)


def test_reading_refuses_what_is_not_text(load):
    assert refusal(load({"x": b"\x89PNG\0\xff"}).read, "x") == "binary_file"


@pytest.mark.parametrize(("size", "allowed"), [(MIB - 1, True), (MIB, True), (MIB + 1, False)])
def test_a_file_is_read_up_to_1_mib(load, size, allowed):
    tree = load({"x": b"a" * size})
    assert tree.file_size("x") == size
    if allowed:
        assert len(tree.read("x").text) == size
    else:
        assert refusal(tree.read, "x") == "file_too_large"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("", "not_a_file"),
        ("d", "not_a_file"),
        ("sub", "not_a_file"),
        ("nope", "path_not_found"),
        ("d/x/y", "path_not_found"),
        ("sub/x", "path_not_found"),
        ("../x", "invalid_path"),
        (".git/config", "invalid_path"),
    ],
)
def test_reading_refuses_what_is_no_file(load, repo, path, code):
    tree = load({"d/x": b"", "sub": repo.submodule("1" * 40)})
    assert refusal(tree.read, path) == code
    assert not tree.is_file(path)


def test_existence(load, repo):
    tree = load({"d/x": b"", "sub": repo.submodule("1" * 40)})
    assert [tree.exists(path) for path in ("", "d", "d/x", "sub")] == [True] * 4
    assert [tree.exists(path) for path in ("nope", "..", "d/x/y")] == [False] * 3


def test_a_deep_tree_takes_room_for_its_names_only(open_git, repo):
    """One tree that names another a thousand levels deep costs an attacker a few kilobytes."""
    names = [f"{n}/" + "d/" * 1000 + "x" for n in range(100)]
    entries = {name: TreeEntry("100644", "0" * 40) for name in names}
    tree = CommitTree(open_git(repo), entries)
    tracemalloc.start()
    try:
        assert tree.exists(names[0])
        assert not tree.exists("1/d/y")
        assert tree.list("99/d/d", None, 5) == ([names[99]], None)
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
    finally:
        tracemalloc.stop()


def test_nothing_of_the_working_tree_is_read(load, repo):
    """An untracked credential, or an edited file, is not part of the commit."""
    tree = load({"x": b"committed\n"})
    (repo.path / "x").write_text("edited\n")
    (repo.path / "gha-creds.json").write_text("secret")
    assert tree.read("x").text == "committed\n"
    assert refusal(tree.read, "gha-creds.json") == "path_not_found"


def test_a_missing_blob_ends_the_review(load, repo):
    tree = load({"x": b"here\n"})
    repo.remove_object(repo.git("rev-parse", "main:x"))
    with pytest.raises(RepositoryError) as caught:
        tree.read("x")
    assert caught.value.code == "object_missing"
    with pytest.raises(RepositoryError):
        tree.file_size("x")


def test_reading_500_files_spawns_one_process(repo, shim, open_git):
    sha = repo.commit({f"f{n}": b"x %d\n" % n for n in range(500)})
    tree = CommitTree.load(open_git(repo, shim.env), sha)
    before = len(shim.calls)
    assert [tree.read(f"f{n}").text for n in range(500)] == [f"x {n}\n" for n in range(500)]
    assert len(shim.calls) == before + 1


@pytest.mark.parametrize("path", ["a/b", "a\\b", "C:/x", "\\x", " ", "a/ b", "...", ".gitx", "a\nb"])
def test_a_name_that_a_commit_can_hold_is_addressable(path):
    assert is_addressable(path)


@pytest.mark.parametrize(
    "path", ["", "./a", "a//b", "a/", "/a", "a/../b", ".git/x", "a/.GIT", "\0", "\ud800"]
)
def test_no_other_is(path):
    assert not is_addressable(path)
