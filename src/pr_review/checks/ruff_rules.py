"""The rules of ruff that prove a defect, from ``ruff_rules.toml``."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from pr_review.checks.hit import Rule
from pr_review.domain.finding import Category, Severity

MAX_LINE_CHARS = 2000  # the part of a line in which ``unless_code`` is searched
MAX_CALL_CHARS = 20_000  # the part of a call in which its first argument must end
SYNTAX_ERROR = "invalid-syntax"
UNDEFINED_NAME = "F821"
SWALLOWED = "S110"
TLS_CAUSE = "tls"  # also of the check that looks for it in all languages
SPEAKING = {UNDEFINED_NAME, "F823", SYNTAX_ERROR}  # ruff's message names the code at fault; the title cannot

# A call whose first argument is one or more joined string literals, none of them formatted.
_LITERAL = (
    r"[rRbBuU]{0,2}(?:"
    r'"""(?:[^"\\]|\\.|"(?!""))*+"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*+'''"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'(?:[^'\\\n]|\\.)*+')"
)
_GAP = r"(?:\s|\#[^\n]*+\n)*+"
_LITERAL_CALL = re.compile(rf"[\w.]{{1,200}}[ \t]*+\({_GAP}(?:{_LITERAL}{_GAP})++[,)]", re.DOTALL)


@dataclass(frozen=True)
class RuffRule:
    """A rule of the table, with its exceptions.

    A diagnostic proves nothing if ruff's message contains ``unless``, if the pattern ``unless_code`` matches
    in the line, or, with ``unless_literal``, if its call has a string literal as its first argument.
    """

    rule: Rule
    unless: str | None = None
    unless_code: str | None = None
    unless_literal: bool = False

    def is_proven(self, message: str, line: str, call: str = "") -> bool:
        """Whether a diagnostic is a defect: its message, its line, and the text that starts at its place."""
        if self.unless_literal and _LITERAL_CALL.match(call[:MAX_CALL_CHARS]):
            return False
        if self.unless and self.unless in message:
            return False
        return not (self.unless_code and re.search(self.unless_code, line[:MAX_LINE_CHARS]))


@cache
def load_rules() -> dict[str, RuffRule]:
    """Load ``ruff_rules.toml`` as a mapping from code to rule, in the order of the file."""
    text = files(__package__).joinpath("ruff_rules.toml").read_text(encoding="utf-8")
    return {code: _rule(code, row) for code, row in tomllib.loads(text).items()}


def _rule(code: str, row: dict[str, Any]) -> RuffRule:
    rule = Rule(
        code,
        Severity(row["severity"]),
        Category(row["category"]),
        row["title"],
        row["why"],
        row["fix"],
        cause=row.get("cause", ""),
    )
    return RuffRule(rule, row.get("unless"), row.get("unless_code"), bool(row.get("unless_literal")))
