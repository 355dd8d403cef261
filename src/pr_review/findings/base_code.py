"""Tells code that the base holds from code that the pull request adds, for suppressions.

A fingerprint names the text of some lines and their rank in the file. A pull request can repeat suppressed
code, which then takes its text and perhaps its rank. docs/findings.md states the rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pr_review.domain.change import ChangedFile
from pr_review.domain.finding import Finding, Place, Side
from pr_review.findings.fingerprint import fingerprint
from pr_review.findings.matching import FileIndex
from pr_review.findings.quotes import normalise_lines
from pr_review.findings.reviewed_files import ReviewedFiles

Mask = Callable[[str], str]
ReadLines = Callable[[str], Sequence[str] | None]


@dataclass(frozen=True)
class BaseCode:
    """The code of the merge base and of the base branch's tip.

    ``tip_lines`` reads a file of the tip as ``Repository.base_lines`` reads one of the merge base. ``mask``
    hides secrets as it did in the fingerprints.
    """

    files: ReviewedFiles
    tip_lines: ReadLines
    mask: Mask
    _masked: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def known_as(self, found: Finding) -> str | None:
        """The fingerprint by which a suppression may know a finding.

        None for a line that the pull request adds although the base's file already holds its code. An old
        line keeps the fingerprint that it has in the base, whatever the pull request adds above it.
        """
        changed = self.files.changed_file(found.path)
        if changed is None or found.side is Side.LEFT:
            return found.fingerprint
        if _touches_added_lines(found, changed):
            return None if self._is_held(found, changed) else found.fingerprint
        return self._old_fingerprint(found, changed)

    def _is_held(self, found: Finding, changed: ChangedFile) -> bool:
        """Whether the base's file holds the code; a file that cannot be read may hold anything."""
        code = self._masked_text(self._code(found))
        if code == _text(()):
            return False
        if changed.hunks and not any(hunk.old_count for hunk in changed.hunks):
            return False  # git shows no line of the base around the change: it has none
        names = dict.fromkeys((changed.path, changed.old_path or changed.path))
        held = [self._masked_file(side, name) for name in names for side in ("merge base", "tip")]
        return any(text is not None and (not text or code in text) for text in held)

    def _old_fingerprint(self, found: Finding, changed: ChangedFile) -> str:
        """The fingerprint of unchanged lines in the base: only their rank can differ."""
        before = None if found.line is None else _old_line(changed, found.line)
        base = self.files.repository.base_lines(changed.old_path or changed.path)
        if found.line is None or before is None or not base:
            return found.fingerprint
        place = Place(side=Side.RIGHT, line=found.line, end_line=found.end_line)
        height = len(place.numbers) - 1
        rank = self.files.index(found.path).count_above(place)
        old_place = Place(side=Side.LEFT, line=before, end_line=before + height)
        old_rank = FileIndex(None, None, base).count_above(old_place)
        code = self.mask("\n".join(self._code(found)))
        if found.fingerprint != fingerprint(code, found.path, found.category, rank):
            return found.fingerprint  # it is not about these lines alone
        return fingerprint(code, found.path, found.category, old_rank)

    def _code(self, found: Finding) -> Sequence[str]:
        """The lines of the head that the finding is about, else what it quotes."""
        if found.line is not None and found.anchor.is_located:
            lines = self.files.index(found.path).lines(Side.RIGHT)
            place = Place(side=Side.RIGHT, line=found.line, end_line=found.end_line)
            return [lines[number] for number in place.numbers if number in lines]
        return (found.existing_code or "").split("\n")

    def _masked_file(self, side: str, path: str) -> str | None:
        """The text of a file, "" when it cannot be read, None when there is none."""
        if (side, path) not in self._masked:
            read = self.tip_lines if side == "tip" else self.files.repository.base_lines
            lines = read(path)
            self._masked[side, path] = None if lines is None else self._masked_text(lines) if lines else ""
        return self._masked[side, path]

    def _masked_text(self, lines: Sequence[str]) -> str:
        return _text(normalise_lines([*map(self.mask, lines)]))


def _text(normalised: Sequence[str]) -> str:
    """Lines as one text in which a run of lines is found whole; a normalised line holds no newline."""
    return "\n".join(("", *normalised, ""))


def _touches_added_lines(found: Finding, changed: ChangedFile) -> bool:
    """Whether the finding is, or may be, on a line that the change adds."""
    others = (place for place in found.alternatives if place.side is Side.RIGHT)
    return found.on_added_line or any(_is_added(place, changed) for place in others)


def _is_added(place: Place, changed: ChangedFile) -> bool:
    return not changed.added_lines.keys().isdisjoint(place.numbers)


def _old_line(changed: ChangedFile, line: int) -> int | None:
    """The number at the merge base of a head line; None for an added line and when the patch is not known."""
    if changed.oversized or changed.binary:
        return None
    shift = 0
    for hunk in changed.hunks:
        if line < _begin(hunk.new_start, hunk.new_count):
            break
        if line < _begin(hunk.new_start, hunk.new_count) + hunk.new_count:
            return next((each.old_line for each in hunk.lines if each.new_line == line), None)
        old_end = _begin(hunk.old_start, hunk.old_count) + hunk.old_count
        shift = old_end - _begin(hunk.new_start, hunk.new_count) - hunk.new_count
    return line + shift


def _begin(start: int, count: int) -> int:
    """The first line of a side of a hunk; git gives an empty side the number of the line above it."""
    return start if count else start + 1
