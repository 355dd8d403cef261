"""Committed secrets: a hit for each secret of a known shape on an added line."""

import re
from collections.abc import Iterator

from pr_review.checks.base import Hit, Rule, Source
from pr_review.domain.finding import Category, Severity
from pr_review.masking.secrets import KEY_HEADER, Shape, Span, find_spans, mask_secrets

NAME = "secrets"

# What follows the header of a real key, on the same line (JSON, .env) or on the next one.
_KEY_BODY = re.compile(r"KEY(?: BLOCK)?-----(?:\\n|\\r|[\s\"'+,;]){0,20}[A-Za-z0-9+/=]{32}")
_KEY_BODY_LINE = re.compile(r"\s*+[\"'+]?+\s*+(?:[A-Za-z0-9+/=]{32}|Proc-Type:|Version:|Comment:)")


def rule_of(shape: Shape) -> Rule:
    """The rule that a match of the shape breaks."""
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
    """One hit a line and kind of secret, on added lines; the evidence shows it masked."""
    for number, line in source.added.items():
        spans = [span for span in find_spans(line) if _counts(source, number, span)]
        for rule in {span.shape.code: rule_of(span.shape) for span in spans}.values():
            yield Hit.of(rule, number, mask_secrets(line))


def _counts(source: Source, number: int, span: Span) -> bool:
    """Whether a secret's shape is a secret here.

    A key's header needs a body. A vendor's documented example is none where code is only shown. The key id in
    a signed URL is there to be read.
    """
    line = source.added[number]
    if span.shape.code == KEY_HEADER:
        return _has_key_body(source, number, span)
    shown = source.is_prose and line[span.start : span.end].endswith("EXAMPLE")
    return not shown and not line[: span.start].endswith("Credential=")


def _has_key_body(source: Source, number: int, header: Span) -> bool:
    body = source.added[number][header.start : header.end + 64]
    return bool(_KEY_BODY.search(body) or _KEY_BODY_LINE.match(source.lines.get(number + 1, "")))
