"""The list of checks, and the run of all that apply to some files."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pr_review.checks import committed_secrets, conflicts, leftovers, patterns, ruff, tls
from pr_review.checks.hit import CheckResult, Hit
from pr_review.checks.ruff_rules import SYNTAX_ERROR
from pr_review.checks.source import Source
from pr_review.masking.secrets import mask_secrets

NOT_INSTALLED = "it is not installed"
NOT_WHOLE = "the file could not be read whole"


@dataclass(frozen=True)
class Check:
    """A check under the name that the coverage of a review shows.

    A check that ``needs_text`` cannot judge added lines alone.
    """

    name: str
    applies: Callable[[Source], bool]
    needs_text: bool
    find: Callable[[Source], Iterable[Hit]]


@dataclass(frozen=True)
class CheckReport:
    """The hits on one file, the checks that ran, and why others that apply to the file did not run."""

    hits: tuple[Hit, ...]
    checks: tuple[str, ...]
    failed: tuple[tuple[str, str], ...] = ()


class Linter(Protocol):
    """Lints Python files; see ``Ruff``."""

    def check(self, sources: Sequence[Source]) -> list[CheckResult]:
        """What the linter proves about each file, in order."""
        ...


TEXT_CHECKS = (
    Check(conflicts.NAME, lambda _: True, needs_text=False, find=conflicts.find),
    Check(committed_secrets.NAME, lambda _: True, needs_text=False, find=committed_secrets.find),
    Check(
        leftovers.NAME,
        lambda source: patterns.applies(leftovers.TABLE, source),
        needs_text=True,
        find=leftovers.find,
    ),
    Check(tls.NAME, lambda source: patterns.applies(tls.TABLE, source), needs_text=True, find=tls.find),
)

NAMES = (*(check.name for check in TEXT_CHECKS), ruff.NAME)


def run_checks(sources: Sequence[Source], linter: Linter | None) -> list[CheckReport]:
    """Run every check that applies to each file; one report a file, in order.

    The hits are on added lines, in line order, with one hit per line and cause; their texts are masked. A
    check that applies and did not run is in ``failed``. Without a ``linter``, ruff cannot run.
    """
    results = _lint([source for source in sources if _is_python(source)], linter)
    return [_report(source, results.get(source.path)) for source in sources]


def _lint(sources: Sequence[Source], linter: Linter | None) -> dict[str, CheckResult]:
    """What ruff says about the Python files that were read, by path."""
    results = {source.path: CheckResult(failure=NOT_WHOLE if linter else NOT_INSTALLED) for source in sources}
    read = [source for source in sources if source.text is not None and source.added]
    if linter:
        results |= {source.path: result for source, result in zip(read, linter.check(read), strict=True)}
    return results


def _report(source: Source, linted: CheckResult | None) -> CheckReport:
    results = {check.name: _find(check, source) for check in TEXT_CHECKS if check.applies(source)}
    if linted:
        results[ruff.NAME] = linted
    return CheckReport(
        hits=tuple(_merge([hit for result in results.values() for hit in result.hits])),
        checks=tuple(name for name, result in results.items() if not result.failure or not source.added),
        failed=tuple(
            (name, result.failure) for name, result in results.items() if result.failure and source.added
        ),
    )


def _find(check: Check, source: Source) -> CheckResult:
    """Run one check on one file; a bug in it is told, and hides neither other checks nor other files."""
    if check.needs_text and source.text is None:
        return CheckResult(failure=NOT_WHOLE)
    try:
        return CheckResult(tuple(check.find(source)))
    except Exception as error:  # noqa: BLE001 -- whatever a hostile file provokes, it is its own file's fate
        return CheckResult(failure=f"it failed with {type(error).__name__}")


def _is_python(source: Source) -> bool:
    return not source.is_link and source.path.lower().endswith(ruff.SUFFIXES)


def _merge(hits: list[Hit]) -> list[Hit]:
    """The most severe hit per line and cause, in line order, without syntax errors if there is a conflict."""
    conflict = any(hit.rule == conflicts.RULE.code for hit in hits)
    best: dict[tuple[int, str], Hit] = {}
    for hit in sorted(hits, key=lambda hit: hit.severity.rank):
        if not (conflict and hit.rule == SYNTAX_ERROR):
            best.setdefault((hit.line, hit.cause), hit)
    return [_masked(hit) for _, hit in sorted(best.items())]


def _masked(hit: Hit) -> Hit:
    mask = mask_secrets
    return replace(hit, title=mask(hit.title), explanation=mask(hit.explanation), evidence=mask(hit.evidence))
