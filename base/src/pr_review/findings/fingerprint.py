"""The fingerprint identifies a finding across runs, also after lines have moved."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from pr_review.domain.finding import Category, Finding
from pr_review.findings.quotes import normalise_lines

DIGITS = 16


def fingerprint(code: str, path: str, category: Category, occurrence: int) -> str:
    """The first hexadecimal digits of a SHA-256 over code, path, category and occurrence.

    ``code`` is the code that the finding is about; its white space does not count. ``occurrence`` is how
    often the same code also occurs above it in the file.
    """
    return _digest("\n".join(normalise_lines(code.split("\n"))), path, category, str(occurrence))


def tell_apart(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Give findings on exactly the same code different fingerprints, by numbering all but the first."""
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
