"""What makes a finding the same one after lines have moved: its code, path and category, not its line."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from pr_review.domain.finding import Category, Finding
from pr_review.findings.quotes import normalise_lines

DIGITS = 16


def fingerprint(code: str, path: str, category: Category, occurrence: int) -> str:
    """Hexadecimal digits of a SHA-256.

    ``code`` is what the finding stands on, white space aside; ``occurrence`` counts, from 0, the places above
    it in the file that hold the same code.
    """
    return _digest("\n".join(normalise_lines(code.split("\n"))), path, category, str(occurrence))


def tell_apart(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Give findings on the very same code different fingerprints: the second and later ones are numbered."""
    seen: Counter[str] = Counter()
    for finding in findings:
        own = finding.fingerprint
        seen[own] += 1
        ordinal = seen[own]
        yield (
            finding
            if ordinal == 1
            else finding.model_copy(update={"fingerprint": _digest(own, str(ordinal))})
        )


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:DIGITS]
