"""Secrets whose shape proves them: where they stand in a text, and the text without them.

The patterns are detect-secrets' own and a few of the same kind. They are used directly, without
detect-secrets' filters, so that an in-file ``pragma: allowlist secret`` hides nothing. Entropy and keyword
plugins guess, and are left out. So are two plugins whose patterns take quadratic time on a hostile line (npm,
OpenAI); bounded patterns replace them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

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

KEY_HEADER = "private-key"
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


def _mask_line(line: str) -> str:
    parts: list[str] = []
    position = 0
    for span in find_spans(line):
        if span.shape.code != KEY_HEADER:
            parts += [line[position : span.start], line[span.start : span.start + _SHOWN_CHARS], _MASK]
            position = span.end
    masked = "".join([*parts, line[position:]])
    if "PRIVATE KEY" in masked:
        return _KEY_RUN.sub(_MASK, masked)
    key = _KEY_LINE.fullmatch(masked)
    return f"{key[1]}{_MASK}{key[3]}" if key and len(set(key[2])) >= _MIN_DISTINCT_CHARS else masked
