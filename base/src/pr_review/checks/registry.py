"""The list of checks, and the run of all that apply to a file."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from pr_review.checks import committed_secrets, conflicts, leftovers, patterns, ruff, tls
from pr_review.checks.hit import Hit
from pr_review.checks.ruff import Ruff
from pr_review.checks.source import Source
from pr_review.errors import ReviewError
from pr_review.masking.secrets import mask_secrets


@dataclass(frozen=True)
class Check:
    """A check under the name that the coverage of a review shows."""

    name: str
    applies: Callable[[Source], bool]
    find: Callable[[Source], Iterable[Hit]]


@dataclass(frozen=True)
class CheckReport:
    """The hits on one file, the names of the checks that ran, and the names of those that could not run."""

    hits: tuple[Hit, ...]
    checks: tuple[str, ...]
    failed: tuple[str, ...] = ()


TEXT_CHECKS = (
    Check(conflicts.NAME, lambda _: True, conflicts.find),
    Check(committed_secrets.NAME, lambda _: True, committed_secrets.find),
    Check(leftovers.NAME, lambda source: _covers(leftovers.TABLE, source), leftovers.find),
    Check(tls.NAME, lambda source: _covers(tls.TABLE, source), tls.find),
)

NAMES = (*(check.name for check in TEXT_CHECKS), ruff.NAME)


def run_checks(source: Source, linter: Ruff | None) -> CheckReport:
    """Run every check that applies to the file.

    The hits are on added lines, in line order, with one hit per line and cause; their texts are masked. A
    check that could not run is in ``failed`` and not in ``checks``. Without a ``linter``, ruff cannot run.
    """
    hits: list[Hit] = []
    done: list[str] = []
    failed: list[str] = []
    for check in (*TEXT_CHECKS, Check(ruff.NAME, _is_python, lambda source: _lint(source, linter))):
        if check.applies(source):
            try:
                hits.extend(check.find(source))
                done.append(check.name)
            except ReviewError:
                failed.append(check.name)
    return CheckReport(tuple(_merge(hits)), tuple(done), tuple(failed))


def _lint(source: Source, linter: Ruff | None) -> list[Hit]:
    if linter is None:
        raise ReviewError(
            "check_failed", "ruff is not installed.", "Install pr-review with its dependencies."
        )
    return linter.find(source)


def _covers(table: Iterable[patterns.CodePattern], source: Source) -> bool:
    return source.text is not None and patterns.applies(table, source.path)


def _is_python(source: Source) -> bool:
    return source.text is not None and PurePosixPath(source.path).suffix.lower() in ruff.SUFFIXES


def _merge(hits: list[Hit]) -> list[Hit]:
    """The most severe hit per line and cause, in line order, without syntax errors if there is a conflict."""
    conflict = any(hit.rule == conflicts.RULE.code for hit in hits)
    best: dict[tuple[int, str], Hit] = {}
    for hit in sorted(hits, key=lambda hit: hit.severity.rank):
        if not (conflict and hit.rule == ruff.SYNTAX_ERROR):
            best.setdefault((hit.line, hit.cause), hit)
    return [_masked(hit) for _, hit in sorted(best.items())]


def _masked(hit: Hit) -> Hit:
    mask = mask_secrets
    return replace(hit, title=mask(hit.title), explanation=mask(hit.explanation), evidence=mask(hit.evidence))
