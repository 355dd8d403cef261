"""The offline reviewer's final answer: the review that every model submits, and what only rules know."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pr_review.checks.hit import Hit
from pr_review.checks.registry import CheckReport
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import MAX_FIELD_BYTES, MAX_FINDINGS, MAX_NOTES
from pr_review.masking.secrets import mask_secrets
from pr_review.offline.reviewed_file import ReviewedFile


class CheckedFile(NamedTuple):
    """A file whose diff was seen, and what the checks said about it."""

    file: ReviewedFile
    report: CheckReport


FoundIn = tuple[ReviewedFile, Hit]


def compose(files: Sequence[ReviewedFile], checked: Sequence[CheckedFile]) -> JsonObject:
    """The answer about ``files``, of which ``checked`` were seen.

    A review has ``summary``, ``findings`` from worst to least, and ``notes``. Rules add ``rule`` to each
    finding (the code of the rule that proved it), ``checks`` (path to the names of the checks that ran) and
    ``checked_in_part`` (paths of which only the added lines were checked). The reports say that no model
    reviewed, so the summary does not.
    """
    found: list[FoundIn] = [(file, hit) for file, report in checked for hit in report.hits]
    ordered = sorted(found, key=lambda entry: (entry[1].severity.rank, entry[0].path, entry[1].line))
    return {
        "summary": _summary(files, len(found)),
        "findings": [_finding(file, hit) for file, hit in ordered[:MAX_FINDINGS]],
        "notes": [*_surplus(ordered[MAX_FINDINGS:]), *_bounded([*_failures(checked), *_problems(files)])],
        "checks": {file.path: [*report.checks] for file, report in checked},
        "checked_in_part": [file.path for file, _ in checked if file.checked_in_part],
    }


def _failures(checked: Iterable[CheckedFile]) -> Iterable[str]:
    return (f"`{file.path}`: {name} could not run." for file, report in checked for name in report.failed)


def _problems(files: Iterable[ReviewedFile]) -> Iterable[str]:
    return (f"`{file.path}`: {problem}." for file in files for problem in file.problems)


def _summary(files: Sequence[ReviewedFile], found: int) -> str:
    lines = sum(len(file.added) for file in files)
    shown = sum(file.shown for file in files)
    return (
        f"The rules checked {_count(lines, 'added line')} in {_count(shown, 'file')} "
        f"and found {_count(found, 'defect')}."
    )


def _finding(file: ReviewedFile, hit: Hit) -> JsonObject:
    finding: JsonObject = {
        "severity": hit.severity.value,
        "title": hit.title,
        "explanation": hit.explanation,
        "path": file.path,
        "line": hit.line,
        "evidence": hit.evidence,
        "recommendation": hit.recommendation,
        "category": hit.category.value,
        "confidence": "high",
        "rule": hit.rule,
    }
    code = file.added[hit.line]
    if hit.end_line:
        finding["end_line"] = hit.end_line
    if code.strip() and len(code.encode()) <= MAX_FIELD_BYTES and mask_secrets(code) == code:
        finding["existing_code"] = code
    return finding


def _surplus(rest: Sequence[FoundIn]) -> list[str]:
    """One note about the findings beyond the limit."""
    if not rest:
        return []
    files = {file.path for file, _ in rest}
    worst = rest[0][1].severity.value
    note = (
        f"{_count(len(rest), 'more finding')} of severity {worst} or less, in {_count(len(files), 'file')}, "
        f"did not fit: a review holds at most {MAX_FINDINGS}."
    )
    return [note]


def _bounded(notes: Sequence[str]) -> list[str]:
    room = MAX_NOTES - 2  # one is kept for the surplus of findings, one for the surplus of notes
    rest = len(notes) - room
    return [*notes[:room], *([f"{_count(rest, 'more note')} did not fit."] if rest > 0 else [])]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
