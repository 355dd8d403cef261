"""``review.html``: one page that reads without a network, without scripts, and without GitHub.

Whatever a template prints is shown as text: control characters made visible, HTML escaped. The page's own
policy forbids everything but its one style sheet, so that a mistake here still loads and runs nothing.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from pr_review.domain.finding import Finding
from pr_review.domain.run import MIB, Conclusion, Outcome
from pr_review.domain.text import show_controls
from pr_review.report import baseline_wording, finding_wording, links, prose, timeline, wording
from pr_review.report.listing import change_lines, excerpt_lines
from pr_review.report.templating import TEMPLATES

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_PART_BYTES = 3 * MIB  # of findings, of notes, of files, of rounds: a browser opens such a page at once
MAX_FILE_ROWS = 1000
MAX_COLOURED_CHARS = 64 * 1024  # of code in all; the rest stays plain, so that no lexer costs seconds

# GitHub's runner obeys these where the page is printed instead of written (item 74).
_COMMAND = re.compile(r"^([^\S\n]*+):(?=:)|#(?=#\[)", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n\s*\n")
# What a reader must see unfolded: here the list of files is the message.
_FILES_OPEN = frozenset({Conclusion.SKIPPED, Conclusion.INCOMPLETE})


class Entry(NamedTuple):
    """A finding on the page; ``coloured``: its code is, for the budget of lexers is not used up."""

    number: int
    finding: Finding
    url: str | None
    coloured: bool


class Part(NamedTuple):
    """What of a list is shown, as HTML, and how many items are not."""

    shown: Sequence[str]
    left_out: int


def render(outcome: Outcome) -> str:
    """The page; what would make it too large is left out whole, and counted."""
    parts: Any = _environment().get_template("parts.html.j2").module
    entries = list(_entries(outcome))
    articles = _take(map(parts.finding, entries), len(entries))
    notes, run_notes = wording.review_notes(outcome), wording.run_notes(outcome)
    silenced, known = baseline_wording.suppressed(outcome), baseline_wording.earlier(outcome)
    files = wording.coverage_files(outcome)
    rows = (parts.file_row(file, *wording.coverage_result(file)) for file in files[:MAX_FILE_ROWS])
    style = _style()
    page = _environment().get_template("page.html.j2")
    html = page.render(
        outcome=outcome,
        style=style,
        style_hash=b64encode(sha256(style.encode()).digest()).decode(),
        entries=entries[: len(articles.shown)],
        groups=list(_groups(entries, articles.shown)),
        findings_left=articles.left_out,
        notes=_take(map(parts.note, notes), len(notes)),
        run_notes=_take(map(parts.note, run_notes), len(run_notes)),
        suppressed=_take(map(parts.suppressed, silenced), len(silenced)),
        earlier=_take(map(parts.earlier, known), len(known)),
        files=_take(rows, len(files)),
        files_open=outcome.conclusion in _FILES_OPEN,
        turns=_take(map(parts.turn, timeline.steps(outcome)), len(outcome.turns)),
    )
    return _COMMAND.sub(lambda match: f"{match[1] or ''}&#{ord(match[0][-1])};", html)


def _entries(outcome: Outcome) -> Iterator[Entry]:
    findings = wording.numbered(outcome)
    sizes = (sum(map(len, found.excerpt.lines)) if found.excerpt else 0 for _, found in findings)
    for (number, finding), size in zip(findings, accumulate(sizes), strict=True):
        yield Entry(number, finding, links.finding_url(outcome, finding), size <= MAX_COLOURED_CHARS)


def _take(items: Iterable[str], total: int) -> Part:
    shown, size = [], 0
    for item in items:
        size += len(item.encode())
        if size > MAX_PART_BYTES:
            break
        shown.append(item)
    return Part(shown, total - len(shown))


def _groups(entries: Sequence[Entry], articles: Sequence[str]) -> Iterator[tuple[bool, str, list[str]]]:
    """Findings by file, the file with the worst one first: inside the diff or not, path, articles."""
    pairs = list(zip(entries, articles, strict=False))
    first: dict[tuple[bool, str], int] = {}
    for entry, _ in pairs:
        first.setdefault((entry.finding.in_diff, entry.finding.path), entry.number)
    keyed = sorted(pairs, key=lambda pair: first[pair[0].finding.in_diff, pair[0].finding.path])
    for (in_diff, path), group in groupby(
        keyed, key=lambda pair: (pair[0].finding.in_diff, pair[0].finding.path)
    ):
        yield in_diff, path, [article for _, article in group]


def _paragraphs(text: str) -> list[str]:
    return [part for part in _BLANK_LINES.split(text.strip("\n")) if part.strip()]


def _indented(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


@cache
def _style() -> str:
    return (TEMPLATES / "page.css").read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 -- start-up: reports only
    from markupsafe import Markup  # noqa: PLC0415 -- start-up: reports only

    def show(value: object) -> object:
        return show_controls(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=show,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        baseline_wording=baseline_wording,
        finding_wording=finding_wording,
        links=links,
        wording=wording,
        prose=prose,
        change_lines=change_lines,
        excerpt_lines=excerpt_lines,
    )
    environment.filters.update(
        indented=_indented,
        one_line=lambda text: " ".join(show_controls(text).split()),
        paragraphs=_paragraphs,
        visible=show_controls,
    )
    return environment
