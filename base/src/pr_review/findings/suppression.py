"""Suppressions from the base commit: a suppressed finding is reported with the reason, but does not count."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from pr_review.domain.finding import Finding, Review, SuppressedFinding, Suppression

MAX_NAMED = 10  # fingerprints in the note on unused suppressions


def suppress(
    review: Review, suppressions: Sequence[Suppression], today: date
) -> tuple[Review, tuple[str, ...]]:
    """The review with its suppressed findings set apart, and notes on expired and unused suppressions.

    ``today`` is a day in UTC. A suppression still holds on the day on which it expires.
    """
    by_fingerprint = {each.fingerprint: each for each in suppressions}
    active = {name: each for name, each in by_fingerprint.items() if not _is_over(each, today)}
    known = {found.fingerprint: found for found in review.findings}
    silenced = tuple(_silence(found, active[name]) for name, found in known.items() if name in active)
    counting = tuple(found for found in review.findings if found.fingerprint not in active)
    changed = review.model_copy(update={"findings": counting, "suppressed": silenced})
    return changed, tuple(_notes(by_fingerprint, active, known))


def _is_over(suppression: Suppression, today: date) -> bool:
    return suppression.expires is not None and suppression.expires < today.isoformat()


def _silence(found: Finding, suppression: Suppression) -> SuppressedFinding:
    return SuppressedFinding(finding=found, reason=suppression.reason, expires=suppression.expires)


def _notes(
    suppressions: Mapping[str, Suppression],
    active: Mapping[str, Suppression],
    known: Mapping[str, Finding],
) -> Iterator[str]:
    for name, suppression in suppressions.items():
        if name in known and name not in active:
            yield f"The suppression of {name} ended on {suppression.expires}: its finding counts again."
    unused = [name for name in suppressions if name not in known]
    if unused:
        more = f" and {len(unused) - MAX_NAMED} more" if len(unused) > MAX_NAMED else ""
        yield f"Suppressions that match no finding of this review: {', '.join(unused[:MAX_NAMED])}{more}."
