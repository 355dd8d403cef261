"""When what a pattern matched is no defect: prose, markup, an option of the user, a name of the file's own.

Each function answers for one match; the tables of the checks say which of them count for which pattern.
"""

import re
from collections.abc import Iterator

from pr_review.checks.patterns import Matched

NEAR_LINES = 10

_CALLBACK = re.compile(r"[^\n]{0,300}(?:=>|\bfunction\b|\basync\b)")
_OPENING_TAG = re.compile(r"(?:^|[^\w)\]$])<(?:[A-Za-z][\w.:-]{0,100}(?:\s[^<>]{0,500})?)?(?<!/)>\Z")
_CLOSING_TAG = re.compile(r"(?:</[\w.:-]{0,100}|/)>\Z")
_BEFORE_STATEMENT = re.compile(r"(?:\A|[;{}):]|\b(?:else|do))\Z")
_FUNCTION_WORD = re.compile(
    r"\b(?:use|uses|using|via|with|like|than|the|a|an|of|that|by|never|avoid|instead|your|to|into|from|prefer|"
    r"please|e\.g\.|i\.e\.)[ \t]+[\"'`]?\Z",
    re.IGNORECASE,
)
_PRINTS = re.compile(r"[ \t@+-]*(?:(?:RUN|run:|then|else|do)[ \t]+)*(?:echo|printf|print|puts|say)\b")
_SEGMENT = re.compile(r"\$\(|[|;&`]")
_PROSE_KEY = re.compile(
    r"[ \t]*(?:-[ \t]+)?[\"']?(?:descriptions?|summary|title|help|messages?|msg|notes?|comments?|text|label|"
    r"details?|reason|docs?|about|tooltip|placeholder|examples?|name)[\"']?[ \t]*:[ \t]",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"\b(?:if|elif|unless|when)\b[^\n]*?(?:insecure|no_?check|self_?signed|allow_?invalid|trust_?all|"
    r"ignore_?(?:ssl|tls|cert)|(?:no|skip|disable)_?\w{0,20}?verif|"
    r"(?:\bnot[ \t]|!)[ \t]*[\w.\[\]\"']{0,60}?verif|verif\w{0,30}[\"'\])]*[ \t]*(?:is|={2,3})[ \t]*false)",
    re.IGNORECASE,
)
_OWN_VERIFICATION = re.compile(r"\b(?:VerifyPeerCertificate|VerifyConnection|PeerCertSANs)\b")


def is_own_name(found: Matched) -> bool:
    """Whether the file defines the function that a pattern takes for a test framework's.

    Projects often extend the ``test`` of a framework in a file of their own. So in a test file a call of
    ``test``, ``it`` or ``describe`` with a function is a test, wherever the name comes from.
    """
    name = found.match["name"]
    if not found.bindings.binds(name, found.match.start()):
        return False
    extended = name in {"test", "it", "describe"} and found.source.is_test and _CALLBACK.match(found.below)
    return not extended


def is_no_playwright(found: Matched) -> bool:
    """Whether the file does not name the only library whose pages start a debugger when they pause."""
    return "playwright" not in found.views.uncommented


def is_markup(found: Matched) -> bool:
    """Whether the word ``debugger`` is no statement: it stands in the text of an element or in a sentence."""
    code, start = found.views.code, found.match.start()
    before = code[max(0, start - 1000) : start]
    stripped = before.rstrip()
    if code.startswith("</", found.match.end()) or _OPENING_TAG.search(stripped):
        return True
    if "\n" in before[len(stripped) :]:  # a statement may follow any line that is whole
        return False
    return bool(_CLOSING_TAG.search(stripped)) or not _BEFORE_STATEMENT.search(stripped)


def is_prose(found: Matched) -> bool:
    """Whether a command is only spoken of: printed, described by a key of YAML, or part of a sentence."""
    if _FUNCTION_WORD.search(found.before) or _PROSE_KEY.match(found.before):
        return True
    segment = _SEGMENT.split(found.before)[-1]
    return bool(_PRINTS.match(segment)) or any(
        _PROSE_KEY.match(f"{line} ") and line.rstrip().endswith(("|", ">", "|-", ">-"))
        for line in _headers_above(found)
    )


def is_test(found: Matched) -> bool:
    """Whether the file is a test, whose servers are its own."""
    return found.source.is_test


def is_option(found: Matched) -> bool:
    """Whether the line stands in a branch that only the user's own option for it opens."""
    return any(_OPTION.search(line) for line in _headers_above(found)) or bool(_OPTION.search(found.before))


def is_verified_otherwise(found: Matched) -> bool:
    """Whether the code near the match checks the certificate by itself, as Go's documentation shows."""
    above = found.above.split("\n")[-NEAR_LINES:]
    below = found.below.split("\n")[: NEAR_LINES + 1]
    return any(_OWN_VERIFICATION.search(line) for line in (*above, *below))


def _headers_above(found: Matched) -> Iterator[str]:
    """The nearest line above that is indented less, which opens the block of the match."""
    *lines, own = found.above.split("\n")
    indent = _indent(f"{own}x")
    for line in reversed(lines):
        if line.strip() and _indent(line) < indent:
            yield line
            return


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
