"""Secrets of a known shape that a change adds to the repository."""

import re
from collections.abc import Iterator

from pr_review.checks.hit import Hit, Rule
from pr_review.checks.source import Source
from pr_review.domain.finding import Category, Severity
from pr_review.masking.secret_shapes import PRIVATE_KEY, Shape
from pr_review.masking.secrets import Span, find_spans, mask_secrets

NAME = "secrets"

# A real key continues after its header, either on the same line (JSON, .env) or on the next one.
_KEY_BODY = re.compile(r"KEY(?: BLOCK)?-----(?:\\n|\\r|[\s\"'+,;]){0,20}[A-Za-z0-9+/=]{32}")
_KEY_BODY_LINE = re.compile(r"\s*+[\"'+]?+\s*+(?:[A-Za-z0-9+/=]{32}|Proc-Type:|Version:|Comment:)")


def rule_of(shape: Shape) -> Rule:
    """The rule that reports secrets of this shape."""
    return Rule(
        f"secret-{shape.code}",
        Severity.CRITICAL,
        Category.SECURITY,
        f"{shape.label} in the code",
        "A credential committed to a repository is readable by everyone who can read the repository, "
        "also after it is deleted from the file: it stays in the history.",
        "Revoke the credential now, issue a new one, and load it from a secret store or the environment.",
    )


def find(source: Source) -> Iterator[Hit]:
    """Find secrets on added lines, one hit per line and rule; the evidence is masked."""
    for number, line in source.added.items():
        spans = [span for span in find_spans(line) if _counts(source, number, span)]
        for rule in {span.shape.code: rule_of(span.shape) for span in spans}.values():
            yield Hit.of(rule, number, mask_secrets(line))


def _counts(source: Source, number: int, span: Span) -> bool:
    """Whether a match is really a secret.

    The header of a private key needs a body. The example key in a vendor's documentation is no secret in a
    documentation file. The key id in a signed URL is public.
    """
    line = source.added[number]
    if span.shape.code == PRIVATE_KEY:
        return _has_key_body(source, number, span)
    is_example = source.is_prose and line[span.start : span.end].endswith("EXAMPLE")
    return not is_example and not line[: span.start].endswith("Credential=")


def _has_key_body(source: Source, number: int, header: Span) -> bool:
    body = source.added[number][header.start : header.end + 64]
    return bool(_KEY_BODY.search(body) or _KEY_BODY_LINE.match(source.lines.get(number + 1, "")))
