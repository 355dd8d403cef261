"""A path is read as it is meant, and never as one that it may not mean."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.findings.path_spelling import PREFIXES, SCHEMES, KnownPaths, Origin, Resolution

ORIGIN = Origin("https://github.com/acme/shop", "acme/shop", ("/srv/checkout",))
CAFE = unicodedata.normalize("NFD", "src/Café.py")
HEAD = {"src/a.py", "src/b.py", "lib/deep/er/c.py", "README.md", "r/src/z.py", "my file.py", CAFE}


def known(*head, changed=(), renamed=None, real_path=lambda _: None):
    changes = {path: path for path in changed} | (renamed or {})
    return KnownPaths(set(head) or HEAD, changes, ORIGIN, real_path)


def meant(spelling, *head, **options):
    return known(*head, **options).resolve(spelling).path


@pytest.mark.parametrize(
    "spelling",
    [
        "./src/a.py",
        ".//src///a.py",
        "src/./a.py",
        "src/x/../a.py",
        ".\\src\\a.py",
        "\\src\\a.py",
        "src\\\\a.py",
        "//src/a.py",
        "b/src/a.py",
        "w/src/a.py",
        "'src/a.py'",
        "\u201csrc/a.py\u201d",
        "**`src/a.py`**",
        "<src/a.py>",
        "\tsrc/a.py\r\n",
        "\ufeffsrc/a.py\u200b",
        "src/a.py:",
        "src/a.py,",
        "[src/a.py](src/a.py)",
        "[the file](https://github.com/acme/shop/blob/main/src/a.py#L3)",
        "--- a/src/a.py",
        "file:src/a.py",
        "file:///srv/checkout/src/a.py",
        "file://localhost/srv/checkout/src%2Fa.py",
        "/srv/checkout/src/a.py",
        "/srv/checkout//./src/a.py",
        "/github/workspace/src/a.py",
        "/home/runner/work/shop/shop/src/a.py",
        "/__w/shop/shop/src/a.py",
        "${GITHUB_WORKSPACE}/src/a.py",
        "C:\\Users\\dev\\shop\\src\\a.py",
        "acme/shop/src/a.py",
        "ACME/Shop/src/a.py",
        "shop/src/a.py",
        "acme/shop/blob/0123abcd/src/a.py",
        "https://github.com/acme/shop/blob/0123abcd/src/a.py?plain=1#L4-L9",
        "https://github.com/acme/shop/blob/feature/long/src/a.py",
        "https://raw.githubusercontent.com/acme/shop/main/src/a.py",
        "HEAD:src/a.py",
        "0123abcdef:src/a.py",
        "src/a.py::Basket.total",
        "src/a.py (the second hunk)",
        "src/A.PY",
        "Src/a.py",
        "a.py",
        "/some/where/else/src/a.py",
        *(each.example.partition(",")[0] for each in (*SCHEMES, *PREFIXES)),
    ],
)
def test_every_spelling_of_one_file_means_it(spelling):
    assert meant(spelling) == "src/a.py"


@pytest.mark.parametrize(
    ("behind", "lines"),
    [
        (":12", (12, None)),
        (":12:3", (12, None)),
        (":12-14", (12, 14)),
        (":12:3-14:8", (12, 14)),
        (":L12", (12, None)),
        ("#L12", (12, None)),
        ("#L12-L14", (12, 14)),
        ("#L12C5-L14C9", (12, 14)),
        ("#12", (12, None)),
        (" (line 12)", (12, None)),
        (", lines 12-14", (12, 14)),
        (" line 12 to 14", (12, 14)),
        ("(12)", (12, None)),
        ("(12,7)", (12, None)),
        ("[12]", (12, None)),
        (":12`", (12, None)),
        ("", (None, None)),
        (":twelve", (None, None)),
    ],
)
def test_a_line_behind_the_path_is_a_hint(behind, lines):
    found = known().resolve(f"src/a.py{behind}" if behind != ":twelve" else "src/a.py")
    assert (found.path, (found.line, found.end_line)) == ("src/a.py", lines)


@pytest.mark.parametrize(
    "name",
    ["src/a.py:12", "`odd`.py", " blank.py", "a/src/a.py", "x#L3", "C:/y.py", "up/../z", "src\\\\a.py"],
)
def test_a_real_name_is_never_taken_for_a_spelling(name):
    assert known(name, *HEAD).resolve(name) == Resolution(name)


@pytest.mark.parametrize("shown", ["back\\\\slash.py", "back\\slash.py", "x/back\\\\slash.py"])
def test_a_backslash_may_belong_to_the_name(shown):
    r"""A tree shows it doubled, and a reviewer writes either."""
    assert meant(shown, "back\\\\slash.py", "x/back\\\\slash.py") == shown.replace("k\\s", "k\\\\s")


def test_a_byte_that_is_no_text_may_be_written_as_git_does():
    assert meant("ev\\377il.py", "ev\\xffil.py") == "ev\\xffil.py"
    assert meant("src/Caf\\303\\251.py", "src/Caf\u00e9.py") == "src/Caf\u00e9.py"


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC"])
def test_composed_and_decomposed_names_are_the_same(form):
    assert meant(unicodedata.normalize(form, CAFE)) == CAFE
    assert meant(unicodedata.normalize(form, "café.py")) == CAFE


@pytest.mark.parametrize(
    "spelling",
    [
        "",
        " ",
        ".",
        "/",
        "..",
        "no/such/file.py",
        "src",
        "src/",
        "y/README.md",
        "/etc/README.md",
        "README",
        "https://github.com/other/shop/blob/main/src/a.py",
        "https://example.com/src/a.py",
        "https://github.com/acme/shop/pull/7",
        "src/a.py, src/b.py",
        "src/a.py and src/b.py",
        "src/a.pyc",
        "xsrc/a.py",
        "/" * 5000 + "src/a.py",
    ],
)
def test_what_is_no_file_of_the_repository_means_none(spelling):
    assert known().resolve(spelling) == Resolution()


def test_two_files_that_fit_are_both_named():
    head = ("one/a.py", "two/a.py", "two/b.py")
    assert known(*head).resolve("a.py:4") == Resolution(candidates=("one/a.py", "two/a.py"))
    assert known(*head, changed=("one/a.py", "two/a.py")).resolve("/A.PY").candidates == head[:2]
    assert known("x/A.py", "x/a.PY").resolve("x/a.py").candidates == ("x/A.py", "x/a.PY")


def test_changed_files_come_first_and_whole_paths_before_ends():
    head = ("one/a.py", "two/a.py", "A.PY")
    assert meant("a.py", *head, changed=("two/a.py",)) == "two/a.py"
    assert meant("one/a.py", *head, changed=("two/a.py",)) == "one/a.py"
    assert meant("a.py", "a.py", "two/a.py", changed=("two/a.py",)) == "a.py"
    assert meant("A/B.PY", "a/b.py", "b.py", changed=("b.py",)) == "a/b.py"


def test_the_longest_end_of_a_longer_path_is_meant():
    assert meant("/data/build/src/a.py", "src/a.py", "build/src/a.py") == "build/src/a.py"


def test_the_old_name_of_a_renamed_file_means_the_new_one():
    options = {"changed": ("new/n.py",), "renamed": {"old/o.py": "new/n.py"}}
    for spelling in ("old/o.py", "o.py", "a/old/o.py:3", "n.py"):
        assert meant(spelling, "new/n.py", **options) == "new/n.py"


def test_a_link_means_what_it_leads_to():
    links = {"current/a.py": "v2/a.py"}
    assert meant("./current/a.py:2", "v2/a.py", "current", real_path=links.get) == "v2/a.py"


PARTS = st.text("abc.-_ é\\:#()[]%'", min_size=1, max_size=6).filter(lambda part: part not in {".", ".."})
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


@given(st.sets(PATHS, min_size=1, max_size=8), st.data())
def test_an_exact_path_always_means_itself(names, data):
    name = data.draw(st.sampled_from(sorted(names)))
    assert meant(name, *names) == name


PLAIN = st.lists(st.text("abcdéß", min_size=1, max_size=4), min_size=1, max_size=3).map(
    lambda parts: "/".join(parts) + ".py"
)
WRAPPED = (
    "{}",
    "./{}",
    "/{}",
    "`{}`",
    '"{}" ',
    "{}:7",
    "{}#L7-L9",
    "a/{}",
    "acme/shop/{}",
    "/srv/checkout/{}",
)


@given(st.sets(PLAIN, min_size=1, max_size=8), st.sampled_from(WRAPPED), st.booleans(), st.data())
def test_a_wrapped_path_means_its_file_or_says_that_it_cannot_tell(names, wrapped, backslashes, data):
    name = data.draw(st.sampled_from(sorted(names)))
    spelling = wrapped.format(name.replace("/", "\\") if backslashes else name)
    found = known(*names).resolve(spelling)
    assert found.path == name or name in found.candidates or spelling.strip("\"'` ") in names


@given(st.text(max_size=60))
def test_any_text_is_a_spelling(text):
    found = known().resolve(text)
    assert found.path is None or found.path in HEAD


@pytest.mark.parametrize(
    "text", ["/", "\\", " ", ":1", "#L1", "(", "../", "a/", "e\u0301", "[](", "%41", "\\303"]
)
def test_a_long_spelling_costs_little(text):
    files = known(*(f"{'d/' * 40}{number}.py" for number in range(2000)))
    files.resolve("x")
    started = time.process_time()
    files.resolve((text * 5000)[:4090])
    assert time.process_time() - started < 0.1
