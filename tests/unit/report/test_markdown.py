"""Escaping: nothing of a model becomes structure, and nothing of its text is lost."""

import re

import pytest
from hypothesis import assume, example, given
from tests.growth import assert_linear
from tests.unit.report.hostile_text import HOSTILE

from pr_review.actions.commands import neutralise
from pr_review.domain.text import show_controls
from pr_review.report.markdown import (
    CELL_CHARS,
    block,
    cell,
    code,
    code_block,
    html,
    inline,
    link,
    list_item,
    quote,
)

PLAIN = [
    "List<T>",
    "snake_case and _private and __init__",
    "**kwargs, *args",
    "a | b",
    "`a | b`",
    "$x$ costs $5",
    "done :tada: at 10:30:15",
    "see [^1] and [text](https://example.com) and ![image](https://example.com/x.png)",
    "- [ ] task",
    "> [!NOTE]",
    "1. one",
    "# title",
    "@property on x@y.example, thanks @octocat",
    "fixes #12, owner/repo#12 and GH-12 in 0123456789abcdef",
    "<b>bold</b> &amp; <!-- gone -->",
    "ends with a backslash \\",
    "``x`` and `` ` `` and ```y```",
    "https://example.com/a?b=c#d, (www.example.com).",
    "C:\\temp\\*.py ~~gone~~ ~x~ \\< \\& \\\\ \\` \\_",
    "it's `a`@b and `c`#1",
]


MARKERS = re.compile(r"^\s*(?:[-*]|\d{1,9}[.)])(?:\s|$)|\*\*|^\s*(?:```|~~~)", re.MULTILINE)
PARTS = {"p", "fence", "ul", "ol", "li", "strong"}


def squeezed(text: str) -> str:
    """Text without white space, and without the backticks that only mark code."""
    return re.sub(r"[\s`]", "", show_controls(text))


def assert_inert(seen, blocks: set[str]) -> None:
    assert (seen.raw_html, seen.links, seen.images, seen.references) == ([], [], 0, [])
    assert set(seen.blocks) <= blocks


@given(text=HOSTILE)
def test_inline_is_inert_and_complete(read, text):
    """One paragraph without markup, whose visible text is the given one."""
    seen = read(inline(text))
    assert_inert(seen, {"p"})
    assert squeezed(seen.text) == squeezed(text)


@given(text=HOSTILE)
def test_cell_is_inert_and_complete(read, text):
    """One cell stays one cell, pipes and line breaks included."""
    seen = read(f"| a | b |\n|---|---|\n| {cell(text, 10_000)} | end |\n")
    assert_inert(seen, {"table", "thead", "tbody", "tr", "th", "td"})
    assert seen.blocks.count("td") == 2
    assert squeezed(seen.text) == squeezed("ab" + text + "end")


@given(text=HOSTILE)
def test_block_is_inert_and_complete(read, text):
    """Text without list markers, fences or bold is paragraphs and indented code, and all of it is shown."""
    assume(not MARKERS.search(show_controls(text)))
    seen = read(block(text))
    assert_inert(seen, {"p", "fence"})
    assert squeezed(seen.text) == squeezed(text)


@given(text=HOSTILE)
def test_block_loses_nothing_but_markers(read, text):
    """Of lists, fences and bold, only characters that mark them may be gone, and a fence's language."""
    assume(not re.search(r"(?:`{3}|~{3})[^`\n]*[^`\s]", show_controls(text)))
    seen = read(block(text))
    assert_inert(seen, PARTS)
    assert unmarked(seen.text) == unmarked(text)


def unmarked(text: str) -> str:
    return re.sub(r"[-*~0-9.)]", "", squeezed(text))


@given(text=HOSTILE)
def test_block_with_languages_is_inert(read, text):
    """Whatever stands behind a fence."""
    assert_inert(read(block(text)), PARTS)


@given(text=HOSTILE)
def test_block_stays_inside_a_quote_and_a_list(read, text):
    """Our own containers are not left: every line takes the container's prefix."""
    assert_inert(read(quote(block(text))), {"blockquote", *PARTS})
    assert_inert(read(list_item(block(text))), PARTS)
    assert read(quote(block(text))).blocks.count("blockquote") == 1


@given(text=HOSTILE)
def test_html_survives_as_the_same_text(read, text):
    """Inside our HTML block a browser shows the same text, and GitHub's filters find nothing outside code."""
    seen = read_html(read, html(text))
    assert seen.references == []
    assert squeezed(seen.text) == squeezed(text)


@given(text=HOSTILE)
def test_code_is_one_code_span(read, text):
    """Any text is one code span."""
    seen = read(f"x{code(text)}x")
    shown = show_controls(text).replace("\n", "␤").replace("##[", "# #[")
    assert "".join(seen.code).strip() == shown.strip()
    assert_inert(seen, {"p"})


@given(text=HOSTILE)
def test_code_block_is_one_code_block(read, text):
    """Any text is one code block, closed by its own fence."""
    seen = read(code_block(text, "python") + "\n\nend")
    assert seen.blocks == ["fence", "p"]
    assert seen.code[0].rstrip("\n") == neutralise(text).rstrip("\n")


def summary_element(text: str) -> str:
    """As ``html`` is used: behind a tag of ours, on its line."""
    return f"<summary>{html(text)}</summary>"


@given(text=HOSTILE)
@example(text="```\n::error::x\n```\n`##[error]`")
@example(text="::")
@pytest.mark.parametrize("function", [inline, cell, block, code, code_block, summary_element])
def test_a_printed_page_holds_no_workflow_command(function, text):
    """Whoever prints it in a job: code cannot be escaped, so a space keeps the runner from obeying."""
    assert not re.search(r"^\s*::|##\[", function(text), re.MULTILINE)


@given(text=HOSTILE)
def test_html_is_one_line(text):
    """So nothing but the tag before it begins a line."""
    assert not re.search(r"[\n\r\f\v]", html(text))


@pytest.mark.parametrize("text", PLAIN)
@pytest.mark.parametrize("function", [inline, block])
def test_ordinary_text_reads_as_written(read, function, text):
    """What reviewers write is not spoilt; the marker of a list is no text."""
    marker = "" if function is inline else r"\A(?:-|1\.) "
    assert squeezed(read(function(text)).text) == squeezed(re.sub(marker, "", text))


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("use `List<T>` here", "use `List<T>` here"),
        ("List<T>", "List&lt;T&gt;"),
        ("snake_case", "snake\\_case"),
        ("see (@octocat).", "see (`@octocat`)."),
        ('"#12"', '"`#12`"'),
        ("run $(make)", "run `$(make)`"),
        ("`a`@b", "`a@b`"),
        ("- item", "\\- item"),
        ("12. item", "12\\. item"),
        (":-", "\\:-"),  # a table's second line to GitHub, though not to markdown-it
        ("a\n\tb", "a b"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_inline_output(text, markdown):
    """Exact output for what is usual."""
    assert inline(text) == markdown


@pytest.mark.parametrize(
    "line",
    [
        *(
            "# a",
            "## a",
            "> a",
            "+ a",
            "-a",
            "*a",
            "1.a",
            "1986: a",
            "1234567890. a",
            "+",
            "---",
            "***",
            "___",
        ),
        *("===", "=", ":-", ":-:", "-:", "|-|", "| a |\n|---|", "[a]: /b", "[^a]: b", "<p>", "<!-- a", "<?a"),
        *("\\", "a\\\nb", "> [!TIP]\n> a", "x **", "** x **", "2**8 and 3**4", "a ** b ** c", "__init__"),
    ],
)
@pytest.mark.parametrize("before", ["", "a\n", "a\n\n"])
def test_no_structure_at_a_line_start(read, before, line):
    """Whatever stands before it, a line that could open another block is a paragraph's text."""
    seen = read(block(before + line))
    assert_inert(seen, {"p"})
    assert squeezed(seen.text) == squeezed(before + line)


STRUCTURES = {
    "**Bold** and `code`": ["p", "strong"],
    "Bold **over\ntwo** lines": ["p", "strong"],
    "- a\n- b": ["ul", "li", "p", "li", "p"],
    "* a\n  - b\n* c": ["ul", "li", "p", "ul", "li", "p", "li", "p"],
    "First:\n1. a\n2. b": ["p", "ol", "li", "p", "li", "p"],
    "3) a\n\n   more": ["ol", "li", "p", "p"],
    "- [ ] task": ["ul", "li", "p"],
    "- a\n  ```\n  x\n  ```": ["ul", "li", "p", "fence"],
    "~~~\nx\n~~~": ["fence"],
    "````\n```\nx\n```\n````": ["fence"],
    "```\nwithout an end": ["fence"],
    "    indented\n\ncode": ["fence", "p"],
    "- ": ["ul", "li", "p"],
    "- # a\n- > b\n- ---": ["ul", "li", "p", "li", "p", "li", "p"],
}


@pytest.mark.parametrize(("text", "blocks"), STRUCTURES.items(), ids=STRUCTURES)
def test_what_reviewers_mark_is_rendered(read, text, blocks):
    """Bold, lists and code are what they look like, and what stands in them is text."""
    seen = read(block(text))
    assert_inert(seen, PARTS)
    assert seen.blocks == blocks


def test_numbers_of_a_list_are_kept():
    assert block("2. a\n3. b") == "2. a\n3. b"


def test_lists_are_nested_to_a_limit(read):
    """Six levels; markers beyond them are text, and no text is lost."""
    text = "\n".join(f"{'  ' * depth}- item{depth}" for depth in range(40))
    seen = read(block(text))
    assert seen.blocks.count("ul") == 6
    assert unmarked(seen.text) == unmarked(text)
    assert read(block("- " * 40 + "end")).text.endswith("- end")


def test_block_keeps_lines_indentation_and_fenced_code():
    """Line breaks are hard, indentation is no-break space, fenced code keeps its language."""
    text = "First:\n  second\n\nThen\n```python\nx = [1]\n```\nlast"
    assert block(text) == "First:\\\n&nbsp;&nbsp;second\n\nThen\n\n```python\nx = [1]\n```\n\nlast"


@pytest.mark.parametrize("language", ["mermaid", "math", "geojson", "python onclick=x", "suggestion"])
def test_drawn_languages_are_dropped(language):
    """GitHub draws such blocks; a model's stays text."""
    assert block(f"```{language}\nx\n```").startswith("```\n")


def test_fence_is_longer_than_any_inside():
    """Code about Markdown is safe."""
    assert code_block("````\nx\n````").startswith("`````\n")
    assert code("a``b") == "```a``b```"


@pytest.mark.parametrize(("length", "shown"), [(119, 119), (120, 120), (121, 120)])
def test_cell_limit(read, length, shown):
    """At most 120 visible characters, the ellipsis among them."""
    assert CELL_CHARS == 120
    seen = read(cell("x" * length)).text
    assert len(seen) == shown
    assert seen.endswith("…") == (length > 120)


def test_controls_are_visible():
    """An escape sequence and a bidirectional override cannot act on a reader."""
    assert inline("a\x1b[31mb\u202ec") == "a␛\\[31mb&lt;U+202E&gt;c"


def test_link_is_ours(read):
    """A link of ours is a link, its label escaped."""
    assert read(link(inline("a]b"), "https://github.com/o/r")).links == ["https://github.com/o/r"]


RUNS = "".join("`" * length + " " for length in range(1, 200))
DEEP = "".join("  " * depth + "- a\n" for depth in range(40))
OPENED = "```" + " " * 4070 + "a" + "\n" * 4070 + "x"
WORST = [
    *(
        "`",
        "``` ` `` ",
        "@.",
        "(",
        "[",
        ":a",
        "f",
        "\\",
        "```\n",
        "~~~\n",
        "$",
        "_*",
        "<",
        "\n- ",
        "- ",
        "1. ",
    ),
    *(
        "**",
        "**a",
        "a**",
        "**a** ",
        "- a\n",
        "- ```\n",
        "1. a\n\n",
        "> ",
        "\n",
        "    a\n",
        "\t",
        RUNS,
        DEEP,
        OPENED,
    ),
]


@pytest.mark.parametrize("function", [inline, block, html])
@pytest.mark.parametrize("unit", WORST, ids=range(len(WORST)))
def test_time_is_linear(function, unit):
    """The worst a model could write is escaped in a time that grows as the text does."""
    assert_linear(function, unit, size=2**12)


def read_html(read, markup: str):
    """Read our HTML as a browser would, through the same collector."""
    from html.parser import HTMLParser

    seen = read("")

    class Reader(HTMLParser):
        in_code = False

        def handle_starttag(self, tag, attrs):
            assert (tag, attrs) == ("code", [])
            self.in_code = True

        def handle_endtag(self, _tag):
            self.in_code = False

        def handle_data(self, data):
            seen.text += data
            (seen.code if self.in_code else seen.prose).append(data)

    reader = Reader(convert_charrefs=True)
    reader.feed(markup)
    reader.close()
    return seen
