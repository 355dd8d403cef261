"""review.html: everything is there, as text; nothing in it loads, runs or points elsewhere."""

import base64
import hashlib
import re
import time
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given
from tests.unit.report.hostile_text import HOSTILE

from pr_review.domain.finding import AnchorStatus, Edit, Excerpt, Place, Review, Severity, Side
from pr_review.domain.run import Coverage, CoverageStatus, FileCoverage
from pr_review.domain.sizes import KIB
from pr_review.report.html import render
from pr_review.report.html.bounded import MAX_PART_BYTES, take
from pr_review.report.html.finding_sections import MAX_HIGHLIGHTED_CHARS, entries
from pr_review.report.html.page import style
from pr_review.report.html.prose import text
from pr_review.report.html.run_sections import MAX_FILE_ROWS
from pr_review.report.html.safe_html import Html

NAMES = [
    *("rich", "clean", "many", "hostile", "rules_only", "rules_found"),
    *("incomplete", "skipped", "failed", "crashed"),
]
VOID = {"meta", "br", "rect"}
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "nav", "main", "section", "article"),
    *("h1", "h2", "h3", "h4", "h5", "p", "a", "ul", "ol", "li", "br", "span", "strong", "small"),
    *("pre", "code", "figure", "figcaption", "details", "summary", "svg", "rect"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    *("lang", "dir", "charset", "http-equiv", "content", "name", "id", "class", "href", "tabindex"),
    *(
        "scope",
        "open",
        "data-line",
        "viewbox",
        "width",
        "height",
        "x",
        "preserveaspectratio",
        "focusable",
        "value",
    ),
}
HEADINGS = {"h1", "h2", "h3", "h4", "h5"}


class Page(HTMLParser):
    """The elements of a page; it must be balanced."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.style = ""
        self.lines: list[tuple[str, str, str]] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        found = dict(attrs)
        if "line" in (found.get("class") or "").split():
            self.lines.append((found["class"].removeprefix("line").strip(), found["data-line"], ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["style"]:
            self.style += data
            return
        self.text += data
        if "span" in self.open and "figure" in self.open and self.lines:
            mark, number, text = self.lines[-1]
            self.lines[-1] = (mark, number, text + data)

    def values(self, name: str) -> list[str]:
        return [value for _, found, value in self.attributes if found == name]


@pytest.fixture
def page_of(outcomes):
    """``page_of(**fields)``: the page of a review with one finding."""

    def page(**fields) -> Page:
        finding = outcomes.rich.review.findings[3].model_copy(update=fields)
        review = Review(summary="", findings=(finding,))
        return Page(render(outcomes.rich.model_copy(update={"review": review})))

    return page


@pytest.mark.parametrize("name", NAMES)
def test_page_is_made_of_our_elements_only(outcomes, name):
    """Balanced; no script, image, frame, form, handler or inline style; known attributes."""
    page = Page(render(getattr(outcomes, name)))
    assert set(page.tags) <= TAGS
    assert {name for _, name, _ in page.attributes if not name.startswith("aria-")} <= ATTRIBUTES


@pytest.mark.parametrize("name", NAMES)
def test_links_stay_on_the_page_or_on_the_repository(outcomes, name):
    """Each fragment has its target, and ids are unique."""
    page = Page(render(getattr(outcomes, name)))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    hrefs = page.values("href")
    assert {href.removeprefix("#") for href in hrefs if href.startswith("#")} <= set(ids)
    assert all(href.startswith(("#", "https://github.com/octo/shop/")) for href in hrefs)
    assert set(page.values("aria-labelledby")) <= set(ids)


@pytest.mark.parametrize("name", NAMES)
def test_page_has_landmarks_and_headings_in_order(outcomes, name):
    """One h1, no level skipped on the way down, a language, a title, one main, a named navigation."""
    page = Page(render(getattr(outcomes, name)))
    levels = [int(tag[1]) for tag in page.tags if tag in HEADINGS]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    assert [page.tags.count(tag) for tag in ("main", "header", "nav", "title")] == [1, 1, 1, 1]
    assert page.values("lang") == ["en"]
    assert "Contents" in page.values("aria-label")
    assert not re.search(r"\{\{|\{%|None|Undefined", page.text)


def test_policy_allows_the_one_style_sheet_and_nothing_else(outcomes):
    page = Page(render(outcomes.rich))
    [policy] = [value for value in page.values("content") if "default-src" in value]
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert policy == (f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
    assert not re.search(r"url\(|@import|expression", page.style)


def test_everything_a_reader_needs(outcomes):
    """Verdict, findings with evidence and suggestion, notes, coverage, timeline with tokens and time."""
    text = " ".join(Page(render(outcomes.rich)).text.split())
    for words in (
        "pr-review: 5 findings",
        "1 critical · 1 high · 1 medium · 1 low · 1 outside the diff",
        "head aaaaaaa · merge base bbbbbbb",
        "1. User input reaches the shell in export_invoice",
        "src/shop/invoice.py:41-42 · security · high confidence",
        "Pass a list and leave shell out.",
        "Outside the diff In code that this change does not touch",
        "is not visible in this repository.",
        "GitHub's API could not be reached",
        "5 changed files: 1 excluded, 4 reviewed.",
        "package-lock.json+12 \N{MINUS SIGN}3excludedlock file",
        "Round 1: called tools · 8.2 s · 45,210 tokens (41,000 in, 4,210 out)",
        "read_repository_file · 2.0 KiB · 3 ms",
        "search_repository · failed · 90 bytes · 12 ms",
        '"path": "src/shop/invoice.py"',
        "Round 2: invalid; dropped and asked again (invalid_model_response) · 4.1 s · tokens not reported",
        "4 requests, 1 of them repeated, 2.0 s waited",
        "ended as final_review",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("clean", ["nothing found", "A review that finds nothing is no proof"]),
        ("rules_only", ["the rules found nothing", "Deterministic rules reviewed this change, not a model"]),
        (
            "incomplete",
            ["incomplete review, 1 finding so far", "max_rounds:", "What to do: Split the change"],
        ),
        ("skipped", ["nothing to review", "3 excluded", "vendored"]),
        ("failed", ["the review failed", "opencode_authentication_failed:", "What to do: Check the secret"]),
        ("crashed", ["the review failed", "event_missing:", "No changed file was looked at."]),
    ],
)
def test_every_conclusion_says_what_it_is(outcomes, name, words):
    text = " ".join(Page(render(getattr(outcomes, name))).text.split())
    assert [word for word in words if word not in text] == []


def test_excerpt_is_numbered_and_its_own_lines_are_marked(page_of):
    lines = page_of(existing_code=None).lines
    assert [(mark, number) for mark, number, _ in lines] == [
        ("", "39"),
        ("", "40"),
        ("hit", "41"),
        ("hit", "42"),
        ("", "43"),
        ("", "44"),
    ]
    assert lines[3][2] == '    subprocess.run(f"lp {name}", shell=True)\n'


def test_removed_lines_are_marked_as_removed(page_of):
    """They are of the merge base, so they look like what they are."""
    page = page_of(side=Side.LEFT, existing_code=None)
    assert [mark for mark, _, _ in page.lines] == ["", "", "removed", "removed", "", ""]
    assert "Removed lines 41-42 of the merge base." in page.text
    assert "removed line" in page.text


def test_an_exact_suggestion_is_shown_in_its_place(page_of):
    """With numbers of the old side and the lines around; Windows line ends are no characters."""
    edit = Edit(start_line=4, before=("a\r",), removed=("b\r", "\r"), added=("c\r",), after=("d\r",))
    lines = page_of(edit=edit, excerpt=None).lines
    assert lines == [
        ("", "3", " a\n"),
        ("removed", "4", "-b\n"),
        ("removed", "5", "-\n"),
        ("added", "", "+c\n"),
        ("", "6", " d\n"),
    ]


def test_a_suggestion_beside_a_quote_has_no_numbers(page_of):
    lines = page_of(excerpt=None).lines
    assert [(mark, number, text[0]) for mark, number, text in lines] == [
        ("removed", "", "-"),
        ("added", "", "+"),
    ]


def test_how_sure_the_place_is(page_of):
    page = page_of(
        anchor=AnchorStatus.NEAREST,
        alternatives=(Place(side=Side.RIGHT, line=90), Place(side=Side.LEFT, line=3, end_line=4)),
        merged=2,
    )
    assert "reported 3 times · nearest of 3 places" in page.text
    assert "The quoted code also stands at line 90, removed lines 3-4; this is by far" in page.text


def test_code_is_coloured_by_language(page_of):
    classes = page_of().values("class")
    assert {"word-keyword", "word-string", "word-comment", "word-name"} <= set(classes)
    assert not [name for name in page_of(path="unknown.xyz").values("class") if name.startswith("word-")]


@pytest.mark.parametrize(
    ("first", "highlighted"), [(MAX_HIGHLIGHTED_CHARS - 10, 2), (MAX_HIGHLIGHTED_CHARS - 9, 1)]
)
def test_highlighting_has_a_budget(outcomes, first, highlighted):
    """Counted over the page; what is beyond it is shown plain."""
    base = outcomes.rich.review.findings[3]
    lines = ("x" * first, "return 1 ")  # 9 characters
    many = base.model_copy(update={"excerpt": Excerpt(start_line=1, lines=("y" * (first - 1), "1"))})
    few = base.model_copy(update={"excerpt": Excerpt(start_line=1, lines=(lines[1] + "2",))})
    review = Review(summary="", findings=(many, few))
    found = list(entries(outcomes.rich.model_copy(update={"review": review})))
    assert sum(entry.is_highlighted for entry in found) == highlighted


def test_hostile_text_is_shown_as_text(outcomes):
    """In every field that others fill; control characters and overrides are visible."""
    page = Page(render(outcomes.hostile))
    assert "<img src=x> ![i](https://e.example/i) [t](https://e.example) @octocat #12" in page.text
    assert "␛[31m<U+202E>" in page.text
    assert "</details>" in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", render(outcomes.hostile))


@pytest.mark.parametrize(
    "path", ["<script>alert(1)</script>", '" onmouseover="x', "javascript:alert(1)", "'><b>"]
)
def test_a_path_is_only_text(page_of, path):
    page = page_of(path=path)
    assert set(page.tags) <= TAGS
    assert path in page.text
    assert all(href.startswith(("#", "https://github.com/octo/shop/")) for href in page.values("href"))


def test_a_pull_request_address_that_is_none_is_no_link(outcomes):
    """An artifact may come from anywhere."""
    pull = outcomes.rich.pull_request.model_copy(update={"url": "javascript:alert(1)//pull/1"})
    page = Page(render(outcomes.rich.model_copy(update={"pull_request": pull})))
    assert all(href.startswith("#") for href in page.values("href"))


@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_a_workflow_command(outcomes, name):
    """The page may be printed in a log."""
    assert not re.search(r"^\s*::|##\[", render(getattr(outcomes, name)), re.MULTILINE)


def test_commands_in_prose_are_still_shown(page_of):
    page = page_of(explanation="a\n  ::error::x\n##[error]y")
    assert "a\n  ::error::x\n##[error]y" in page.text


def test_a_text_cannot_leave_its_element(page_of):
    """Each of our closing tags, in each field."""
    hostile = "</code></pre></p></li></article></section></main></style><script>x</script>"
    page = page_of(
        **dict.fromkeys(
            ["title", "explanation", "path", "evidence", "recommendation", "suggestion", "rule"], hostile
        ),
        existing_code=hostile,
        excerpt=Excerpt(start_line=1, lines=(hostile,)),
        edit=Edit(start_line=1, removed=(hostile,), added=(hostile,), before=(hostile,), after=(hostile,)),
    )
    assert "script" not in page.tags
    assert page.tags.count("main") == page.tags.count("article") == 1


def test_findings_are_grouped_by_file(outcomes):
    """The file with the worst finding first; those outside the diff in their own section."""
    finding = outcomes.rich.review.findings[3]
    low = finding.model_copy(update={"severity": Severity.LOW, "title": "second"})
    other = finding.model_copy(update={"severity": Severity.HIGH, "path": "b.py"})
    outside = finding.model_copy(update={"in_diff": False, "path": "b.py"})
    review = Review(summary="", findings=(low, other, outside, finding))
    page = Page(render(outcomes.rich.model_copy(update={"review": review})))
    assert [tag for tag in page.tags if tag in {"h3", "h4"}][:5] == ["h3", "h4", "h4", "h3", "h4"]
    assert page.values("id")[:7].count("outside") == 0
    assert [name for name in page.values("id") if name.startswith("finding-")] == [
        "finding-1",
        "finding-3",
        "finding-2",
        "finding-4",
    ]


def test_a_page_is_bounded(outcomes):
    """100 findings and 100 notes of 8 KiB of what escapes worst; what is left out is counted."""
    text = '"' * (8 * KIB)
    finding = outcomes.rich.review.findings[3].model_copy(
        update={"explanation": text, "evidence": text, "recommendation": text, "title": text}
    )
    review = Review(summary=text, findings=(finding,) * 100, notes=(text,) * 100)
    page = render(outcomes.rich.model_copy(update={"review": review}))
    assert len(page.encode()) < 4 * MAX_PART_BYTES
    left = int(re.search(r"<strong>(\d+) more findings</strong> in", page)[1])
    assert page.count("<article") == 100 - left
    assert 0 < left < 100
    assert re.search(r"\d+ more notes in <code>review.json", page)


@pytest.mark.parametrize(
    ("size", "shown"), [(MAX_PART_BYTES - 1, 1), (MAX_PART_BYTES, 1), (MAX_PART_BYTES + 1, 0)]
)
def test_parts_are_taken_whole_up_to_the_limit(size, shown):
    part = take([Html("x" * size), Html("y" * size)], 2)
    assert (len(part.shown), part.left_out) == (shown, 2 - shown)


def test_ten_thousand_files(outcomes):
    reviewed = [FileCoverage(path=f"src/{n}.py", status=CoverageStatus.REVIEWED) for n in range(10_000)]
    page = render(outcomes.clean.model_copy(update={"coverage": Coverage(files=reviewed)}))
    assert page.count("<td>reviewed</td>") == MAX_FILE_ROWS == 1000
    assert "9,000 more files in" in page


def test_a_page_of_100_findings_is_cheap(outcomes):
    """Measured at 0.05 s; a run that is cancelled has seconds for all of its reports."""
    render(outcomes.rich)
    start = time.process_time()
    render(outcomes.many)
    assert time.process_time() - start < 3


def test_a_page_of_blank_code_is_cheap(outcomes):
    blank = outcomes.rich.review.findings[0].model_copy(
        update={"suggestion": "x" + "\n" * 8000, "edit": None}
    )
    review = Review(summary="", findings=(blank.model_copy(update={"existing_code": None}),) * 100)
    start = time.process_time()
    render(outcomes.rich.model_copy(update={"review": review}))
    assert time.process_time() - start < 5


def colours(style: str) -> list[dict[str, str]]:
    """The custom properties of the light and the dark scheme."""
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    found = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", part)) for part in (light, dark)]
    return [found[0], found[0] | found[1]]


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


PAIRS = [
    *((text, back) for text in ("text", "muted", "link") for back in ("back", "soft")),
    *(
        (text, back)
        for text in ("text", "comment", "keyword", "name", "number", "string")
        for back in ("soft", "hit", "added", "removed")
    ),
    *(("badge", back) for back in ("critical", "high", "medium", "low")),
]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "back"), PAIRS)
def test_contrast_of_every_text(scheme, text, back):
    """At least 4.5 to 1, as WCAG 2 AA asks for."""
    palette = colours(style())[scheme]
    high, low = sorted((luminance(palette[text]), luminance(palette[back])), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_what_reviewers_mark_is_rendered():
    """Bold, lists with their numbers, and code; everything else is text."""
    shown = text("**a** b\n- c\n\n3. `d`\n4. <b>\n\n# e [f](g) __h__")
    assert re.sub(r' (?:class|dir)="[^"]*"|\n', "", shown) == (
        "<p><strong>a</strong> b</p><ul><li><p>c</p></li></ul>"
        '<ol><li value="3"><p><code>d</code></p></li><li value="4"><p>&lt;b&gt;</p></li></ol>'
        "<p># e [f](g) __h__</p>"
    )


@given(value=HOSTILE)
def test_prose_holds_our_elements_only(value):
    """Whatever the text: no element but those of prose, no attribute of others, nothing to follow or load."""
    page = Page(text(value))
    assert set(page.tags) <= {"p", "ul", "ol", "li", "strong", "code", "pre"}
    assert {name for _, name, _ in page.attributes} <= {"class", "dir", "value"}
