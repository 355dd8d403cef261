"""Which files are reviewed, and the reason for each that is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.config.default_excludes import Exclusion, built_in_exclusions
from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.review.selection import MORE_CODE, select

SHA = "0" * 40
LOCK = Exclusion("*.lock", "lock file")
BUILT_IN = tuple(built_in_exclusions())


def diff(*paths, **fields):
    files = tuple(ChangedFile(path=p, status=FileStatus.ADDED, header="", **fields) for p in paths)
    return Diff(merge_base_sha=SHA, head_sha=SHA, files=files)


def test_without_patterns_every_file_is_selected_in_diff_order():
    selection = select(diff("b.py", "a.py"), (), ())
    assert [file.path for file in selection.selected] == ["b.py", "a.py"]
    assert selection.excluded == {}


def test_the_reason_names_rule_and_pattern():
    selection = select(diff("a.py", "x/yarn.lock"), (), [LOCK])
    assert selection.excluded == {"x/yarn.lock": "lock file (*.lock)"}
    assert [file.path for file in selection.selected] == ["a.py"]


def test_a_later_negation_takes_a_file_back_in():
    selection = select(diff("keep.lock", "drop.lock"), (), [LOCK, Exclusion("!keep.lock", "exclude pattern")])
    assert list(selection.excluded) == ["drop.lock"]


def test_include_limits_and_exclude_wins():
    selection = select(diff("src/a.py", "src/b.lock", "docs/c.md"), ["/src/"], [LOCK])
    assert [file.path for file in selection.selected] == ["src/a.py"]
    assert selection.excluded == {"src/b.lock": "lock file (*.lock)", "docs/c.md": "not matched by include"}


def test_binary_files_are_excluded_by_rule():
    assert select(diff("a.png", binary=True), (), ()).excluded == {"a.png": "binary file"}


@pytest.mark.parametrize("path", ["a\nb.py", 'q"uote.py', "bad\\xff.py", ":(glob)*", " lead.py", "#hash.py"])
def test_odd_names_are_selected_like_any_other(path):
    assert [file.path for file in select(diff(path), (), [LOCK]).selected] == [path]


def test_a_newline_in_a_folder_s_name_hides_nothing_below_it():
    """Patterns stop at a newline; git does not."""
    selection = select(diff("a\nb/evil.py", "a\nb/yarn.lock", "evil.lock\n"), ["*.py", "*.lock*"], [LOCK])
    assert [file.path for file in selection.selected] == ["a\nb/evil.py", "evil.lock\n"]


@pytest.mark.parametrize(
    "path", ["a.py", "A.JS", "Makefile", "x/b.go", *(f"f{suffix}" for suffix in sorted(MORE_CODE))]
)
def test_a_binary_that_is_named_as_code_is_not_left_out(path):
    """A NUL and one invalid byte in a comment would hide the rest."""
    assert select(diff(path, binary=True), (), ()).excluded == {}


NAMES = st.text("abcdef-", min_size=1, max_size=5)
FOLDERS = st.lists(NAMES, max_size=3).map(lambda parts: "".join(f"{part}/" for part in parts))


def named_like(pattern, word):
    """A name that a built-in pattern matches."""
    return pattern.rstrip("/").replace("*", word)


@given(st.sampled_from(BUILT_IN), FOLDERS, NAMES, FOLDERS)
def test_a_built_in_pattern_of_files_hides_no_folder_and_one_of_folders_no_file(rule, above, word, below):
    name = named_like(rule.pattern, word)
    above = "" if "/" in name else above  # a slash inside ties a pattern to the root
    as_file, as_folder = f"{above}{name}", f"{above}{name}/{below}{word}.py"
    selected = {file.path for file in select(diff(as_file, as_folder), (), [rule]).selected}
    assert selected == ({as_folder} if rule.files_only else {as_file})


@pytest.mark.parametrize(
    "path",
    [
        "yarn.lock.d/run.py",
        "pkg/package-lock.json/index.js",
        "mvnw.cmd/main.go",
        "a.snap/b/c.ts",
        "x_pb2.py/handler.py",
        "site.js.map/app.rb",
        "zz_generated.deep/copy/x.go",
    ],
)
def test_code_below_a_folder_that_is_named_like_a_left_out_file_is_reviewed(path):
    assert [file.path for file in select(diff(path), (), BUILT_IN).selected] == [path]


@pytest.mark.parametrize("path", ["a.snap/vendor/x.py", "go.sum/yarn.lock", "x.lock/y.min.css"])
def test_below_such_a_folder_the_other_rules_hold(path):
    assert path in select(diff(path), (), BUILT_IN).excluded


def test_a_pattern_of_the_user_matches_folders_as_in_gitignore():
    given_by_user = Exclusion("*.lock", "matched by exclude")
    assert select(diff("a.lock/x.py"), (), [given_by_user]).excluded == {
        "a.lock/x.py": "matched by exclude (*.lock)"
    }


@pytest.mark.parametrize("path", ["run", "hooks/pre-commit", "x.tmpl", "photo.png"])
def test_a_binary_that_is_mostly_text_is_not_left_out_whatever_its_name(path):
    assert select(diff(path, binary=True, mostly_text=True), (), ()).excluded == {}


def renamed(old, new, status=FileStatus.RENAMED, **fields):
    file = ChangedFile(path=new, old_path=old, status=status, header="", **fields)
    return Diff(merge_base_sha=SHA, head_sha=SHA, files=(file,))


@pytest.mark.parametrize(
    ("old", "new", "include", "exclude"),
    [
        ("src/login.go", "third_party/login.go", (), BUILT_IN),
        ("api/token.ts", "api/token.bundle.js", (), BUILT_IN),
        ("db/access.py", "db/access_pb2.py", (), BUILT_IN),
        ("core/acl.rs", "attic/acl.rs", ("core/",), BUILT_IN),
        ("core/acl.rs", "old/acl.rs", (), [Exclusion("/old/", "matched by exclude")]),
        ("node_modules/x.js", "src/x.js", (), BUILT_IN),
        ("attic/acl.rs", "core/acl.rs", ("core/",), BUILT_IN),
    ],
)
def test_a_renamed_file_is_reviewed_by_either_name(old, new, include, exclude):
    assert select(renamed(old, new), include, exclude).excluded == {}


@pytest.mark.parametrize(
    ("old", "new", "include", "reason"),
    [
        ("vendor/a.py", "vendor/b.py", (), "vendored files (vendor/)"),
        ("go.sum", "x/yarn.lock", (), "lock files (*.lock)"),
        ("docs/a.py", "lib/a.py", ("src/",), "not matched by include"),
        ("docs/a.py", "src/a.min.js", ("src/",), "minified files (*.min.js)"),
    ],
)
def test_a_renamed_file_is_left_out_when_both_names_are(old, new, include, reason):
    assert select(renamed(old, new), include, BUILT_IN).excluded == {new: reason}


def test_a_copy_counts_by_its_own_name_because_the_old_place_loses_nothing():
    assert (
        "vendor/a.py" in select(renamed("src/a.py", "vendor/a.py", FileStatus.COPIED), (), BUILT_IN).excluded
    )


def test_a_binary_that_was_named_as_code_is_not_left_out():
    assert select(renamed("a.py", "a.dat", binary=True), (), ()).excluded == {}
