"""Names as git prints them are read as git holds them."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pr_review.git.quoted import unquote


@pytest.mark.parametrize(
    ("shown", "raw"),
    [
        (b"a b", b"a b"),
        (b'"a\\tb"', b"a\tb"),
        (b'"a\\\\b"', b"a\\b"),
        (b'"q\\"q"', b'q"q'),
        (b'"\\001\\177"', b"\x01\x7f"),
        (b'"\\303\\244"', "ä".encode()),
        (b'"', b'"'),
        (b'""', b""),
        (b'"open', b'"open'),
    ],
)
def test_unquoting(shown, raw):
    assert unquote(shown) == raw


NAMES = st.binary(min_size=1, max_size=12).filter(
    lambda name: not {b"/", b"\0"} & {name[i : i + 1] for i in range(len(name))} and name.strip(b".")
)


@settings(max_examples=25, deadline=None)
@given(names=st.lists(NAMES, min_size=1, max_size=40, unique=True))
def test_what_git_quotes_is_read_back(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("names")
    names = [name for name in names if name.lower() != b".git"]
    git = ["git", "-c", "core.quotePath=false", "-C", str(folder)]
    subprocess.run([*git, "init", "-q"], check=True)
    blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    listed = b"".join(b"100644 blob %s\t%s\0" % (blob.encode(), name) for name in names)
    made = subprocess.run([*git, "mktree", "-z", "--missing"], input=listed, capture_output=True, check=True)
    tree = made.stdout.decode().strip()
    shown = subprocess.run([*git, "ls-tree", "--name-only", tree], capture_output=True, check=True).stdout
    assert sorted(map(unquote, shown.split(b"\n")[:-1])) == sorted(names)
