"""A reader of rendered Markdown that sees what GitHub's filters would see."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from markdown_it import MarkdownIt

# Written apart from the code under test: what GitHub finds in text outside code.
GITHUB_REFERENCES = re.compile(
    r"https?://|ftp://|www\.|@[A-Za-z0-9]|#[0-9]|\bGH-[0-9]|\b[0-9a-f]{7,40}\b|:[a-z0-9_+-]+:|\$",
    re.IGNORECASE,
)


@dataclass
class Rendered:
    """What a browser shows: all text, the text outside code, and what a model must never make."""

    text: str = ""
    prose: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    images: int = 0
    raw_html: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)

    @property
    def references(self) -> list[str]:
        return [match[0] for text in self.prose for match in GITHUB_REFERENCES.finditer(text)]


def _gfm() -> MarkdownIt:
    md = MarkdownIt("gfm-like", {"html": True})
    md.linkify.set({"fuzzy_link": False, "fuzzy_email": True})  # GitHub leaves bare domains alone
    md.linkify.add("//", None)
    return md


_GFM = _gfm()


def read(markdown: str) -> Rendered:
    """Parse as GitHub-flavoured Markdown with HTML and autolinks on, and collect what is shown."""
    seen = Rendered()
    for token in _GFM.parse(markdown):
        if token.type.endswith("_open"):
            seen.blocks.append(token.tag)
        if token.type == "html_block":
            seen.raw_html.append(token.content)
        if token.type in {"fence", "code_block"}:
            seen.blocks.append(token.type)
            seen.code.append(token.content)
            seen.text += token.content
        _read_inline(token.children or [], seen)
    return seen


def _read_inline(children: list, seen: Rendered) -> None:
    prose = ""
    for child in children:
        if child.type == "text":
            prose += child.content
            seen.text += child.content
        elif child.type == "code_inline":
            seen.code.append(child.content)
            seen.text += child.content
        elif child.type == "html_inline":
            seen.raw_html.append(child.content)
        elif child.type == "link_open":
            seen.links.append(child.attrs["href"])
        elif child.type == "image":
            seen.images += 1
        elif child.type in {"softbreak", "hardbreak"}:
            seen.text += "\n"
        else:
            seen.blocks.append(child.tag)
        if child.type != "text" and prose:  # the filters read one text node at a time
            seen.prose.append(prose)
            prose = ""
    if prose:
        seen.prose.append(prose)


@pytest.fixture(scope="session", name="read")
def _read() -> Callable[[str], Rendered]:
    """``read(markdown)`` is what GitHub would show."""
    return read
