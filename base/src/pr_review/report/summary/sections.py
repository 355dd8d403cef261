"""The sections of a summary that show pieces; each says how many of its pieces are left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from pr_review.domain.sizes import utf8_size
from pr_review.report.markdown import Markdown
from pr_review.report.summary.pieces import Piece, SectionName
from pr_review.report.wording.quantities import count

_FINDINGS_HEAD = Markdown("| | Severity | Finding | Place |\n|--:|:--|:--|:--|\n")
_SUPPRESSED_HEAD = Markdown("| Severity | Finding | Place | Reason | Until |\n|:--|:--|:--|:--|:--|\n")
_EARLIER_HEAD = Markdown("| | Severity | Finding | Place |\n|:--|:--|:--|:--|\n")
# Bytes that the first piece of a section adds to a page without pieces: a table's head, an empty line.
TABLE_HEAD_BYTES: dict[SectionName, int] = {
    "inside": utf8_size(_FINDINGS_HEAD) + 1,
    "outside": utf8_size(_FINDINGS_HEAD) + 1,
    "suppressed": utf8_size(_SUPPRESSED_HEAD),
    "earlier": utf8_size(_EARLIER_HEAD),
}


@dataclass(frozen=True)
class Section:
    """The pieces of one section that are shown, and how many pieces it has in all."""

    shown: Sequence[Piece]
    total: int

    @property
    def left_out(self) -> int:
        """How many pieces did not fit."""
        return self.total - len(self.shown)

    @property
    def rows(self) -> Markdown:
        """The rows one below the other."""
        return Markdown.concat(piece.row for piece in self.shown)

    @property
    def details(self) -> Markdown:
        """The folded details one below the other."""
        return Markdown.concat(piece.detail for piece in self.shown)

    def say_left_out(self, template: LiteralString, noun: str) -> Markdown:
        """The template with ``{more}``, for example ``2 more findings``; empty when everything is shown."""
        return (
            Markdown.fill(template, more=count(self.left_out, f"more {noun}"))
            if self.left_out
            else Markdown()
        )


def finding_section(title: str, explanation: str, section: Section) -> Markdown:
    """A table of findings, then their details."""
    if not section.total:
        return Markdown()
    table = Markdown.concat((_FINDINGS_HEAD, section.rows, Markdown("\n"), section.details))
    return Markdown.fill(
        "### {title}\n\n{explanation}{table}{left_out}",
        title=title,
        explanation=Markdown.fill("{text}\n\n", text=explanation) if explanation else "",
        table=table if section.shown else "",
        left_out=section.say_left_out(
            "**{more}** did not fit into this summary; the artifact `review.json` holds all of them.\n\n",
            "finding",
        ),
    )


def suppressed_section(explanation: str, section: Section) -> Markdown:
    """A folded table of the findings that do not count."""
    return _folded_section("Suppressed", explanation, _SUPPRESSED_HEAD, section)


def earlier_section(explanation: str, section: Section) -> Markdown:
    """A folded table of the findings that only the baseline knows."""
    return _folded_section("Earlier findings", explanation, _EARLIER_HEAD, section)


def _folded_section(title: str, explanation: str, head: Markdown, section: Section) -> Markdown:
    if not section.total:
        return Markdown()
    return Markdown.fill(
        "<details>\n<summary>{title} ({total})</summary>\n\n{explanation}\n\n"
        "{table}{left_out}\n</details>\n\n",
        title=title,
        total=section.total,
        explanation=explanation,
        table=Markdown.concat((head, section.rows)) if section.shown else "",
        left_out=section.say_left_out("\n{more} in the artifact `review.json`.\n", "finding"),
    )


def note_section(title: str, section: Section) -> Markdown:
    """A list of notes."""
    if not section.total:
        return Markdown()
    left_out = section.say_left_out("- {more} in the artifact `review.json`.\n", "note")
    return Markdown.fill(
        "### {title}\n\n{rows}{left_out}\n", title=title, rows=section.rows, left_out=left_out
    )


def file_section(section: Section, *, last_column: str, is_open: bool) -> Markdown:
    """A folded table of the changed files."""
    if not section.total:
        return Markdown()
    return Markdown.fill(
        "<details{open}>\n<summary>Files ({total})</summary>\n\n"
        "| File | Lines | Result | {last_column} |\n|:--|--:|:--|:--|\n"
        "{rows}{left_out}\n</details>\n\n",
        open=Markdown(" open") if is_open else "",
        total=section.total,
        last_column=last_column,
        rows=section.rows,
        left_out=section.say_left_out("\n{more} in the artifact `review.json`.\n", "file"),
    )
