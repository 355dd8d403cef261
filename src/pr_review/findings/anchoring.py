"""Where a finding stands: the quoted code decides, the line is a hint (docs/findings.md states the rules)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pr_review.domain.change import ChangedFile
from pr_review.domain.finding import AnchorStatus, Place, Side
from pr_review.findings.candidates import Candidate, FileIndex
from pr_review.findings.quotes import Lines, readings

NEAREST_LINES = 3  # the nearest place is at most this far from the hint,
NEAREST_RATIO = 3  # and the next one at least so many times farther
MAX_PLACES = 20  # code that stands in more places stands everywhere, like a brace
MAX_ALTERNATIVES = 10
PROOF_CHARS = 20  # other than white space: from here on, code that was not quoted as such is no coincidence


@dataclass(frozen=True)
class Anchor:
    """A decision; the lines are as in a finding. ``alternatives``: the other places, the nearest first."""

    status: AnchorStatus
    side: Side = Side.RIGHT
    line: int | None = None
    end_line: int | None = None
    alternatives: tuple[Place, ...] = ()


def anchor(
    quote: str | None,
    line: int | None,
    changed: ChangedFile | None,
    head_lines: Sequence[str] | None,
    base_lines: Sequence[str] | None,
) -> Anchor:
    """Place one quote in one file. For several, build its ``FileIndex`` once and use ``place_quote``.

    ``head_lines`` are None when the head has no such file, then ``base_lines`` count; a ``line`` that the
    file does not have is no line.
    """
    return place_quote(FileIndex(changed, head_lines, base_lines), quote, line)


def place_quote(index: FileIndex, quote: str | None, line: int | None) -> Anchor:
    """Place one quote in an indexed file; without one, or when it is nowhere, the line is kept."""
    line = line if line and line > 0 else None
    matched = _match(index, quote, line)
    if matched:
        candidates = _unique(matched)
        telling = len(candidates) <= MAX_PLACES and any(map(_has_words, matched))
        return _decide(candidates, line, telling=telling)
    return keep_line(index, line, AnchorStatus.UNVERIFIED if readings(quote or "") else AnchorStatus.LINE)


def confirm_line(index: FileIndex, quote: str | None, line: int | None) -> Anchor:
    """Keep the line of a deterministic rule, whatever it quotes; a quote that is there says in which part."""
    here = [each for each in _unique(_match(index, quote, line)) if line and each.distance(line) == 0]
    return keep_line(index, line, here[0].status if here else AnchorStatus.LINE)


def keep_line(index: FileIndex, line: int | None, status: AnchorStatus) -> Anchor:
    """The line as it was given, if the file has it; else the finding is about the whole file."""
    if line in index.lines(index.side):
        return Anchor(status, index.side, line)
    return Anchor(AnchorStatus.FILE_LEVEL, index.side)


def stands(index: FileIndex, quote: str) -> bool:
    """Whether the quote is anywhere in the file."""
    return bool(_match(index, quote, None))


def holds(index: FileIndex, text: str | None) -> bool:
    """Whether the text is code that stands in the file, and long enough to prove it."""
    return any(_length(reading) >= PROOF_CHARS for reading in _match(index, text, None))


def _match(index: FileIndex, quote: str | None, line: int | None) -> dict[Lines, list[Candidate]]:
    """The places of each reading of the quote; those of a part of it only when it is nowhere whole."""
    found = {reading: index.find(reading, line) for reading in readings(quote or "")}
    whole = {reading: [each for each in places if not each.partial] for reading, places in found.items()}
    chosen = whole if any(whole.values()) else found
    return {reading: places for reading, places in chosen.items() if places}


def _unique(matched: dict[Lines, list[Candidate]]) -> list[Candidate]:
    return list({each.place: each for candidates in matched.values() for each in candidates}.values())


def _has_words(reading: Lines) -> bool:
    """Braces and the like stand everywhere."""
    return any(character.isalnum() for line in reading for character in line)


def _length(reading: Lines) -> int:
    return sum(map(len, reading))


def _decide(candidates: Sequence[Candidate], line: int | None, *, telling: bool) -> Anchor:
    """Locate, or say which places it may be; code that still exists is never placed on the old side.

    ``telling``: that the code stands at the hint is no coincidence.
    """
    head = [each for each in candidates if each.place.side is Side.RIGHT]
    gone = [each for each in candidates if each not in head and not _rewritten(each, head)]
    ranked = sorted(head + gone, key=lambda each: _rank(each, line))
    allowed = [each for each in ranked if each in head or not head]
    here = [each for each in allowed if line is not None and each.distance(line) == 0]
    if len(ranked) == 1 and (telling or here):
        return _at(ranked[0], ranked[0].status)
    if telling and len(here) == 1:
        return _at(here[0], here[0].status)
    others = tuple(each.place for each in ranked if each is not allowed[0])[:MAX_ALTERNATIVES]
    near = telling and not here and allowed[0] is ranked[0] and _is_near(ranked, line)
    return _at(allowed[0], AnchorStatus.NEAREST if near else AnchorStatus.AMBIGUOUS, others)


def _rewritten(old: Candidate, head: Sequence[Candidate]) -> bool:
    """The same lines were put back at the same place, with other white space or other neighbours."""
    return any(old.change and new.change and _is_same_change(old.change, new.change) for new in head)


def _is_same_change(old: tuple[int, int, int], new: tuple[int, int, int]) -> bool:
    (old_run, old_offset, old_count), (new_run, new_offset, new_count) = old, new
    same = (old_run, old_count) == (new_run, new_count)
    return same and abs(old_offset - new_offset) <= NEAREST_LINES


def _rank(candidate: Candidate, line: int | None) -> tuple[int, bool, bool, int]:
    """The nearest first, then the new side before the old, hunks before the rest, from the top."""
    return (
        _offset(candidate, line),
        candidate.place.side is Side.LEFT,
        candidate.status is AnchorStatus.FILE,
        candidate.place.line,
    )


def _offset(candidate: Candidate, line: int | None) -> int:
    return 0 if line is None else abs(candidate.place.line - line)


def _is_near(ranked: Sequence[Candidate], line: int | None) -> bool:
    first, *others = (_offset(each, line) for each in ranked)
    return line is not None and first <= NEAREST_LINES and min(others, default=0) >= NEAREST_RATIO * first


def _at(candidate: Candidate, status: AnchorStatus, alternatives: tuple[Place, ...] = ()) -> Anchor:
    place = candidate.place
    return Anchor(status, place.side, place.line, place.end_line, alternatives)
