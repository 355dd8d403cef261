"""The offline reviewer's final answer, in the wire schema every model has to keep (items 52-54)."""

from collections.abc import Sequence

from pr_review.checks.hit import Hit
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import MAX_FIELD_BYTES, MAX_FINDINGS, MAX_NOTES
from pr_review.masking.secrets import mask_secrets
from pr_review.offline.reviewed_file import ReviewedFile

FoundIn = tuple[ReviewedFile, Hit]


def compose(files: Sequence[ReviewedFile], found: Sequence[FoundIn], failed: Sequence[str]) -> JsonObject:
    """Summary, findings from worst to least, notes; ``failed`` are sentences about what did not run.

    That no model reviewed is for the reports to say (decision 3), and they do, so the summary does not.
    """
    ordered = sorted(found, key=lambda entry: (entry[1].severity.rank, entry[0].path, entry[1].line))
    problems = [f"`{file.path}`: {problem}." for file in files for problem in file.problems]
    return {
        "summary": _summary(files, len(found)),
        "findings": [_finding(file, hit) for file, hit in ordered[:MAX_FINDINGS]],
        "notes": [*_surplus(ordered[MAX_FINDINGS:]), *_bounded([*failed, *problems])],
    }


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
    }
    code = file.added[hit.line]
    if hit.end_line:
        finding["end_line"] = hit.end_line
    if code.strip() and len(code.encode()) <= MAX_FIELD_BYTES and mask_secrets(code) == code:
        finding["existing_code"] = code
    return finding


def _surplus(rest: Sequence[FoundIn]) -> list[str]:
    """What is beyond the limit of findings, said in one note."""
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
    room = MAX_NOTES - 2  # one for the surplus of findings, one for that of notes
    rest = len(notes) - room
    return [*notes[:room], *([f"{_count(rest, 'more note')} did not fit."] if rest > 0 else [])]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
