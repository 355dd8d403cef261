"""Secrets of a known shape that a change adds to the repository."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping

from pr_review.checks.hit import Hit, Rule
from pr_review.checks.placeholders import is_placeholder
from pr_review.checks.source import Source
from pr_review.domain.finding import Category, Severity
from pr_review.masking.secret_shapes import PRIVATE_KEY, Shape
from pr_review.masking.secrets import WINDOW_CHARS, Span, find_spans, mask_secrets, may_hold_secrets

NAME = "secrets"

# The key of the storage emulator is the same in every installation:
# https://learn.microsoft.com/en-us/azure/storage/common/storage-connect-azurite
PUBLIC_KEYS = ("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",)
DISCORD_DOTS = 2

# What is not random in a key. Without it, an AWS key id has 16 characters.
_PREFIX = re.compile(r"\A(?:A3T.|A[BCKS][CI]A|AccountKey=|[a-z]{2,5}_|github_pat_|[rs]k_live_|gl[a-z]{2,5}-)")
_HASH = re.compile(r"[0-9a-f]{40}|[0-9A-F]{40}")  # a commit or a checksum: no secret of AWS has only these
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
    for number, line in _candidates(source.added).items():
        spans = [span for span in find_spans(line) if _counts(source, number, span)]
        for rule in {span.shape.code: rule_of(span.shape) for span in spans}.values():
            yield Hit.of(rule, number, mask_secrets(line))


def _candidates(added: Mapping[int, str]) -> Mapping[int, str]:
    """The lines to search: all, or only long ones if no short line can hold a secret."""
    short = "\n".join(line for line in added.values() if len(line) <= WINDOW_CHARS)
    if may_hold_secrets(short):
        return added
    return {number: line for number, line in added.items() if len(line) > WINDOW_CHARS}


def _counts(source: Source, number: int, span: Span) -> bool:
    """Whether a match is really a secret.

    The header of a private key needs a body. Words, names of code and runs of the alphabet only have the
    shape of a key. The example key in a vendor's documentation is no secret in a documentation file. The key
    id in a signed URL and the key of a vendor's emulator are public.
    """
    line = source.added[number]
    if span.shape.code == PRIVATE_KEY:
        return _has_key_body(source, number, span)
    value = line[span.start : span.end]
    if value.endswith("EXAMPLE"):
        return not source.is_prose
    is_public = line[: span.start].endswith("Credential=") or any(known in value for known in PUBLIC_KEYS)
    return not is_public and not _is_chance(value)


def _is_chance(value: str) -> bool:
    """Whether the value has the shape of a key by chance."""
    first = value.split(".", maxsplit=1)[0]
    if value.count(".") == DISCORD_DOTS and _decodes_to_digits(first):  # a bot token starts with a number
        return False
    return is_placeholder(_PREFIX.sub("", value)) or bool(_HASH.fullmatch(value))


def _decodes_to_digits(text: str) -> bool:
    """Whether the text is base64 of a number, as the first part of a Discord token is."""
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4)).isdigit()
    except ValueError:
        return False


def _has_key_body(source: Source, number: int, header: Span) -> bool:
    body = source.added[number][header.start : header.end + 64]
    return bool(_KEY_BODY.search(body) or _KEY_BODY_LINE.match(source.lines.get(number + 1, "")))
