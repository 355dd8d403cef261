"""Prose in HTML: code spans and fenced code become code, everything else stays text."""

import re
from collections.abc import Iterator

from pr_review.domain.text import show_controls
from pr_review.report.html.safe_html import Html, code, code_block
from pr_review.report.markdown_spans import blocks, spans

_BLANK_LINES = re.compile(r"\n\s*\n")


def line(text: str) -> Html:
    """Text on one line."""
    return _inline(" ".join(show_controls(text).split()))


def text(value: str) -> Html:
    """Paragraphs and blocks of code, each with a newline at its end."""
    return Html.concat(_blocks(show_controls(value)))


def _blocks(value: str) -> Iterator[Html]:
    for block in blocks(value):
        if block.is_code:
            yield code_block(block.text)
        else:
            for paragraph in _paragraphs(block.text):
                yield Html.fill('<p class="prose" dir="auto">{text}</p>\n', text=_inline(paragraph))


def _paragraphs(value: str) -> list[str]:
    return [part for part in _BLANK_LINES.split(value.strip("\n")) if part.strip()]


def _inline(value: str) -> Html:
    return Html.concat(code(piece.text) if piece.is_code else piece.text for piece in spans(value))
