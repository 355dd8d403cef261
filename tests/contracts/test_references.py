"""Paths and links in the documentation exist, and no text cites a document outside this repository."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FENCE = re.compile(r"^ *(`{3,}|~{3,}).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
LINK = re.compile(r"\]\(([^()\s]+)\)")
ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:|//")  # a URL, not a relative link

FOLDERS = ("src/", "tests/", "docs/", "benchmarks/", "examples/", ".github/")
# Paths of the reader's repository, and made-up ones.
NOT_OURS = {".github/pr-review.yml", ".github/pr-review.yaml", "src/a.py"}

# Citations of a document outside this repository; `[N]` and `[S]` keep this file clean.
CITATION = re.compile(
    r"\b(?:items?|decisions?|samples?|appendix)\s+\d+|\brows?\s+\d+\s+of\b|\bsections?\s+(?-i:[A-Q])\b"
    r"|\b(?-i:DESIG[N]|REQUIREMENT[S])\b",
    re.IGNORECASE,
)


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


def is_page(path: Path) -> bool:
    """Whether the path is documentation; prompt templates and the sample repository are not."""
    return path.suffix == ".md" and path.relative_to(ROOT).parts[0] not in {"src", "examples"}


def paths_in_code(text: str) -> Iterator[str]:
    """Paths of this repository in inline code, each without a trailing ``::test``."""
    for _, code in INLINE_CODE.findall(FENCE.sub("", text)):
        for word in code.split():
            path = word.partition("::")[0]
            if path.startswith(FOLDERS) and path not in NOT_OURS:
                yield path


def missing_paths(text: str) -> list[str]:
    """Paths in inline code that do not exist; ``<part>`` stands for any name."""
    patterns = {path: re.sub(r"<\w+>", "*", path) for path in paths_in_code(text)}
    return [path for path, pattern in patterns.items() if not any(ROOT.glob(pattern))]


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = HEADING.findall(FENCE.sub("", text))
    slugs = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    earlier = [slugs[:place].count(slug) for place, slug in enumerate(slugs)]
    return {f"{slug}-{count}" if count else slug for slug, count in zip(slugs, earlier, strict=True)}


def broken_links(page: Path, text: str) -> list[str]:
    """Relative links whose file or anchor does not exist."""
    links = LINK.findall(INLINE_CODE.sub("", FENCE.sub("", text)))
    return [link for link in links if not ELSEWHERE.match(link) and not leads_somewhere(page, text, link)]


def leads_somewhere(page: Path, text: str, link: str) -> bool:
    name, _, anchor = link.partition("#")
    if not name:
        return anchor in anchors(text)
    target = page.parent / name
    return target.exists() and (not anchor or anchor in anchors(target.read_text(encoding="utf-8")))


def citations(text: str) -> list[str]:
    """References to a document that is not in this repository."""
    return CITATION.findall(text)


PAGES = [path for path in tracked() if is_page(path)]
IDS = [str(path.relative_to(ROOT)) for path in PAGES]


def test_the_documentation_is_found():
    """Pages at each level; prompt templates and the sample repository are left out."""
    assert {"README.md", "docs/errors.md", "benchmarks/README.md", "tests/loopback/README.md"} <= set(IDS)
    assert not any(name.startswith(("src/", "examples/")) for name in IDS)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_paths_in_inline_code_exist(page):
    assert missing_paths(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_relative_links_and_their_anchors_exist(page):
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


def test_no_text_cites_a_document_that_is_not_here():
    """A reader cannot look it up, so the text must give the reason itself."""
    found = []
    for path in tracked():
        content = path.read_bytes()
        if b"\0" not in content:
            cited = citations(content.decode("utf-8", "replace"))
            found += [f"{path.relative_to(ROOT)}: {citation}" for citation in cited]
    assert found == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("`src/pr_review/__init__.py`", []),
        ("`docs/` and `tests/contracts/test_references.py::test_x`", []),
        ("`tests/unit/<part>/` and `docs/examples/*.yml`", []),
        ("`.github/pr-review.yml`", []),
        ("src/nowhere.py without code", []),
        ("```sh\ncat `src/nowhere.py`\n```", []),
        ("`src/nowhere.py`", ["src/nowhere.py"]),
        ("`pytest tests/nowhere.py -q`", ["tests/nowhere.py"]),
        ("`docs/examples/*.nothing`", ["docs/examples/*.nothing"]),
        ("`.github/nowhere.yml`", [".github/nowhere.yml"]),
    ],
)
def test_the_rule_sees_missing_paths(text, missing):
    """A guard of the guard."""
    assert missing_paths(text) == missing


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("[a](README.md) and [b](README.md#use-it), ![c](docs/summary.png)", False),
        ("[a](https://example.com/x#y)", False),
        ("# A `b.c` d\n[here](#a-bc-d)", False),
        ("# A\n# A\n# A\n[third](#a-2)", False),
        ("`[a](nowhere.md)`", False),
        ("[a](nowhere.md)", True),
        ("[a](README.md#nowhere)", True),
        ("# A\n[here](#b)", True),
        ("```sh\n# a\n```\n[a comment](#a)", True),
        ("[![a](docs/summary.png)](docs/nowhere.md)", True),
    ],
)
def test_the_rule_sees_broken_links(text, broken):
    """A guard of the guard; the page is in the repository's root."""
    assert bool(broken_links(ROOT / "page.md", text)) is broken


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the protocol's it~em 54", True),
        ("It~ems 12-14", True),
        ("(deci~sion 8)", True),
        ("as deci~sions 3 and 4 say", True),
        ("sam~ple 35", True),
        ("see DES~IGN.md, Coverage", True),
        ("REQUIRE~MENTS", True),
        ("ro~w 3 of the table", True),
        ("it~em\n    7", True),
        ("sec~tion B", True),
        ("Appen~dix 1", True),
        ("the section a reader wants, section 3", False),
        ("two items, 3 decisions", False),
        ("requirements/dev.txt, by design", False),
        ("a row of 3", False),
    ],
)
def test_the_rule_sees_citations(text, found):
    """A guard of the guard; `~` keeps this file clean."""
    assert bool(citations(text.replace("~", ""))) is found
