"""Prose in HTML: what ``prose_tree`` recognises becomes elements, everything else stays text."""

from collections.abc import Iterable

from pr_review.domain.text import show_controls
from pr_review.report.html.safe_html import Html, code, code_block
from pr_review.report.prose_tree import Block, CodeBlock, Item, Items, Paragraph, Piece, blocks, spans


def line(text: str) -> Html:
    """Text on one line."""
    return _inline(spans(" ".join(show_controls(text).split())))


def text(value: str) -> Html:
    """Paragraphs, lists and blocks of code, each with a newline at its end."""
    return Html.concat(map(_block, blocks(show_controls(value))))


def _block(block: Block) -> Html:
    match block:
        case CodeBlock(text):
            return code_block(text)
        case Items(items):
            return _list(items)
        case Paragraph(pieces):
            return Html.fill('<p class="prose" dir="auto">{text}</p>\n', text=_inline(pieces))


def _list(items: tuple[Item, ...]) -> Html:
    """A list; numbers are as they were given, for the text may speak of them."""
    shown = Html.concat(map(_item, items))
    if items[0].marker != "-":
        return Html.fill('<ol class="prose-list" dir="auto">\n{items}</ol>\n', items=shown)
    return Html.fill('<ul class="prose-list" dir="auto">\n{items}</ul>\n', items=shown)


def _item(item: Item) -> Html:
    number = item.marker.rstrip(".)")
    value = Html("") if number == "-" else Html.fill(' value="{number}"', number=number)
    return Html.fill(
        "<li{value}>\n{blocks}</li>\n", value=value, blocks=Html.concat(map(_block, item.blocks))
    )


def _inline(pieces: Iterable[Piece]) -> Html:
    return Html.concat(map(_piece, pieces))


def _piece(piece: Piece) -> str:
    match piece.kind:
        case "code":
            return code(piece.text)
        case "bold_start":
            return Html("<strong>")
        case "bold_end":
            return Html("</strong>")
        case "text":
            return piece.text
