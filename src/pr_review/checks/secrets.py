"""Secrets whose shape proves them, found by detect-secrets' own patterns and a few of the same kind.

The plugins' patterns are used directly, without detect-secrets' filters, so that an in-file
``pragma: allowlist secret`` silences nothing. Entropy and keyword plugins guess, and are left out. So are
two plugins whose patterns take quadratic time on a hostile line (npm, OpenAI); bounded patterns replace
them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from pr_review.checks.base import Hit, Rule, Source
from pr_review.domain.finding import Category, Severity

NAME = "secrets"

WINDOW_CHARS = 2048  # a long line is read in windows, so that no pattern meets more text than this
OVERLAP_CHARS = 1024  # longer than any secret below
_MIN_SECRET_CHARS = len("BEGIN PRIVATE KEY")  # the shortest match of all
_SHOWN_CHARS = 4
_MASK = "****"
_MIN_GROUP_CHARS = 20
_MIN_DISTINCT_CHARS = 6


@dataclass(frozen=True)
class Shape:
    """A kind of secret: the detect-secrets plugin that knows it, or a pattern of ours.

    ``open_ended``: the vendor makes longer ones than the pattern says; otherwise the length is part of the
    proof, and a longer word is something else.
    """

    code: str
    label: str
    plugin: str = ""
    pattern: str = ""
    open_ended: bool = False

    @property
    def rule(self) -> Rule:
        """The rule a match of this shape breaks."""
        return Rule(
            f"secret-{self.code}",
            Severity.CRITICAL,
            Category.SECURITY,
            f"{self.label} in the code",
            "A credential committed to a repository is readable by everyone who can read the repository, "
            "also after it is deleted from the file: it stays in the history.",
            "Revoke the credential now, issue a new one, and load it from a secret store or the environment.",
        )


SHAPES = (
    Shape("aws", "AWS access key", plugin="aws.AWSKeyDetector"),
    Shape("azure-storage", "Azure storage account key", plugin="azure_storage_key.AzureStorageKeyDetector"),
    Shape("discord", "Discord bot token", plugin="discord.DiscordBotTokenDetector"),
    Shape("github", "GitHub token", plugin="github_token.GitHubTokenDetector", open_ended=True),
    Shape("github", "GitHub token", pattern=r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    # A job's token since 2026: ghs_, the app's id and a JWT of three parts.
    Shape("github", "GitHub token", pattern=r"ghs_[A-Za-z0-9_-]{8,200}(?:\.[A-Za-z0-9_-]{20,400}){2}"),
    Shape("gitlab", "GitLab token", plugin="gitlab_token.GitLabTokenDetector"),
    Shape("mailchimp", "Mailchimp key", plugin="mailchimp.MailchimpDetector"),
    Shape("npm", "npm token", pattern=r"npm_[A-Za-z0-9]{36}"),
    Shape("openai", "OpenAI key", pattern=r"sk-[A-Za-z0-9_-]{0,80}T3BlbkFJ[A-Za-z0-9_-]{20,80}"),
    Shape("anthropic", "Anthropic key", pattern=r"sk-ant-[a-z]{3,5}\d\d-[A-Za-z0-9_-]{80,120}"),
    Shape("huggingface", "Hugging Face token", pattern=r"hf_[A-Za-z0-9]{34}"),
    Shape("private-key", "Private key", plugin="private_key.PrivateKeyDetector"),
    Shape("pypi", "PyPI token", plugin="pypi_token.PypiTokenDetector"),
    Shape("sendgrid", "SendGrid key", plugin="sendgrid.SendGridDetector"),
    Shape("slack", "Slack token or webhook", plugin="slack.SlackDetector"),
    Shape("square", "Square OAuth secret", plugin="square_oauth.SquareOAuthDetector"),
    Shape("stripe", "Stripe key", plugin="stripe.StripeDetector", open_ended=True),
    Shape("telegram", "Telegram bot token", plugin="telegram_token.TelegramBotTokenDetector"),
)

_KEY_HEADER = "private-key"
# What follows the header of a real key, on the same line (JSON, .env) or on the next one.
_KEY_BODY = re.compile(r"KEY(?: BLOCK)?-----(?:\\n|\\r|[\s\"'+,;]){0,20}[A-Za-z0-9+/=]{32}")
_KEY_BODY_LINE = re.compile(r"\s*+[\"'+]?+\s*+(?:[A-Za-z0-9+/=]{32}|Proc-Type:|Version:|Comment:)")
# A line that is nothing but key material (64 characters in PEM, 70 in OpenSSH), or a run beside a header.
_KEY_LINE = re.compile(r"(\s*+[\"'+]?+\s*+)([A-Za-z0-9+/=]{60,}+)((?:\\n)?[\"'+,;\s]*)")
_KEY_RUN = re.compile(r"[A-Za-z0-9+/=]{32,}")
_WORD = re.compile(r"\w*+")


@dataclass(frozen=True)
class Span:
    """Where in a line a secret stands, end exclusive."""

    start: int
    end: int
    shape: Shape


def find(source: Source) -> Iterator[Hit]:
    """One hit a line and kind of secret, on added lines; the evidence shows it masked."""
    for number, line in source.added.items():
        spans = [span for span in find_spans(line) if _counts(source, number, span)]
        for rule in {span.shape.code: span.shape.rule for span in spans}.values():
            yield Hit.of(rule, number, mask_secrets(line))


def mask_secrets(text: str) -> str:
    """The text with every secret of a known shape cut to its first characters; lines stay lines.

    Idempotent. A private key's body is masked too, on its own lines or beside the header.
    """
    return "\n".join(_mask_line(line) for line in text.split("\n"))


def find_spans(line: str) -> list[Span]:
    """Every secret of a known shape in one line, in order, overlaps removed; linear in the line's length."""
    if len(line) < _MIN_SECRET_CHARS:
        return []
    step = WINDOW_CHARS - OVERLAP_CHARS
    spans = [
        Span(start, end, shape)
        for offset in range(0, max(len(line) - OVERLAP_CHARS, 1), step)
        for shape, pattern in _patterns()
        for match in pattern.finditer(line, offset, offset + WINDOW_CHARS)
        for start, end in _secret_spans(shape, match)
    ]
    disjoint: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not disjoint or span.start >= disjoint[-1].end:
            disjoint.append(span)
    return disjoint


@cache
def _patterns() -> tuple[tuple[Shape, re.Pattern[str]], ...]:
    found: list[tuple[Shape, re.Pattern[str]]] = []
    for shape in SHAPES:
        if shape.pattern:
            found.append((shape, re.compile(shape.pattern)))
            continue
        module, name = shape.plugin.split(".")
        # Start-up: detect-secrets imports requests, 0.15 s that only a run of the checks has to pay.
        plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
        found.extend((shape, pattern) for pattern in plugin.denylist)
    return tuple(found)


def _secret_spans(shape: Shape, match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The span of the match that is the secret; nothing when it is part of a longer word or a placeholder."""
    line = match.string
    start, end = _widest_group(match)
    if _is_word(line[start - 1 : start]):  # asked first: a long word of many keys is read to its end once
        return
    if shape.open_ended and (rest := _WORD.match(line, end)):
        end = rest.end()
    if (
        not _is_word(line[end : end + 1])
        and len(set(line[max(start, end - 16) : end])) >= _MIN_DISTINCT_CHARS
    ):
        yield start, end


def _widest_group(match: re.Match[str]) -> tuple[int, int]:
    """The widest group when it is long enough to be the secret (some plugins group only its prefix)."""
    groups = [match.span(index) for index in range(1, (match.lastindex or 0) + 1)]
    widest = max(groups, key=lambda span: span[1] - span[0], default=(0, 0))
    return widest if widest[1] - widest[0] >= _MIN_GROUP_CHARS else match.span()


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _counts(source: Source, number: int, span: Span) -> bool:
    """Whether a secret's shape is a secret here.

    A key's header needs a body. A vendor's documented example is none where code is only shown. The key id in
    a signed URL is there to be read.
    """
    line = source.added[number]
    if span.shape.code == _KEY_HEADER:
        return _has_key_body(source, number, span)
    shown = source.is_prose and line[span.start : span.end].endswith("EXAMPLE")
    return not shown and not line[: span.start].endswith("Credential=")


def _has_key_body(source: Source, number: int, header: Span) -> bool:
    body = source.added[number][header.start : header.end + 64]
    return bool(_KEY_BODY.search(body) or _KEY_BODY_LINE.match(source.lines.get(number + 1, "")))


def _mask_line(line: str) -> str:
    parts: list[str] = []
    position = 0
    for span in find_spans(line):
        if span.shape.code != _KEY_HEADER:
            parts += [line[position : span.start], line[span.start : span.start + _SHOWN_CHARS], _MASK]
            position = span.end
    masked = "".join([*parts, line[position:]])
    if "PRIVATE KEY" in masked:
        return _KEY_RUN.sub(_MASK, masked)
    key = _KEY_LINE.fullmatch(masked)
    return f"{key[1]}{_MASK}{key[3]}" if key and len(set(key[2])) >= _MIN_DISTINCT_CHARS else masked
