"""From what ruff says about one file to hits on added lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from pr_review.checks.cleanup import only_cleans_up
from pr_review.checks.hit import CheckResult, Hit
from pr_review.checks.hosts import HOST_RULES, Given, given_to
from pr_review.checks.ruff_rules import (
    MAX_CALL_CHARS,
    SPEAKING,
    SWALLOWED,
    SYNTAX_ERROR,
    TLS_CAUSE,
    UNDEFINED_NAME,
    load_rules,
)
from pr_review.checks.source import Source

MAX_HITS = 1000  # in one file; a report shows 100 of all files

_TEMPLATE = re.compile(r"\{%[^\n]{0,200}%\}|\{\{[^\n{}]{0,200}\}\}")
_UNDEFINED = re.compile(r"Undefined name `([^`\n]{1,1000})`")
_ROW_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Diagnostic:
    """One diagnostic of ruff; ``row`` and ``column`` are ruff's, from 1; no ``code`` is a bug in ruff."""

    code: str | None
    message: str
    row: int
    column: int = 1


@dataclass
class FileDiagnostics:
    """Takes the diagnostics of one file, in ruff's order, and keeps those that prove a defect.

    Of several syntax errors only the first counts, because the others may follow from it.
    """

    source: Source
    _hits: list[Hit] = field(default_factory=list)
    _syntax_line: int | None = None
    _problem: str | None = None

    def take(self, found: Diagnostic) -> None:
        """Learn one diagnostic; what is not on an added line costs no memory."""
        if found.code not in load_rules():
            self._problem = "it could not read the file"
            return
        line = self._line(found.row)
        if line not in self.source.added and found.code != SYNTAX_ERROR:
            return
        if found.code == SYNTAX_ERROR:
            if self._syntax_line is not None:
                return
            self._syntax_line = line
            if self._is_template:
                return
        if self._is_of_host(found) or self._is_excused(found, line):
            return
        for hit in _proven(self.source, found, line, self._text_from(found)):
            if len(self._hits) < MAX_HITS:
                self._hits.append(hit)
            else:
                self._problem = f"it found more than {MAX_HITS:,} defects"

    @property
    def result(self) -> CheckResult:
        """All that was proven. Ruff's rules need a file without syntax errors."""
        return CheckResult(tuple(self._hits), self._failure)

    @property
    def _failure(self) -> str | None:
        line = self._syntax_line
        if line is not None and not any(hit.rule == SYNTAX_ERROR for hit in self._hits):
            kind = "a template of Python code" if self._is_template else "not valid Python"
            return f"the file is {kind}, line {line}"
        return self._problem

    def _is_of_host(self, found: Diagnostic) -> bool:
        """Whether the program that runs the file makes right what ruff takes for a defect."""
        if found.code == UNDEFINED_NAME and (name := _UNDEFINED.match(found.message)):
            return self._given.defines(name[1])
        return found.code in HOST_RULES and found.code in self._given.rules

    def _is_excused(self, found: Diagnostic, line: int) -> bool:
        """Whether the exception that is swallowed only ends a clean-up, or the TLS connection is a test's."""
        if found.code == SWALLOWED:
            return only_cleans_up((self.source.text or "").split("\n"), line)
        return load_rules()[found.code or ""].rule.cause == TLS_CAUSE and self.source.is_test

    @cached_property
    def _given(self) -> Given:
        return given_to(self.source)

    @cached_property
    def _is_template(self) -> bool:
        view = self.source.views
        return bool(_TEMPLATE.search(view.code if view else self.source.text or ""))

    @cached_property
    def _lines(self) -> list[int]:
        return _git_lines(self.source.text or "")

    @cached_property
    def _row_starts(self) -> list[int]:
        return [0, *(end.end() for end in _ROW_END.finditer(self.source.text or ""))]

    def _text_from(self, found: Diagnostic) -> str:
        """The text at the place of a diagnostic and after it."""
        text, starts = self.source.text or "", self._row_starts
        start = starts[min(found.row, len(starts)) - 1] + found.column - 1
        return text[start : start + MAX_CALL_CHARS]

    def _line(self, row: int) -> int:
        return self._lines[min(row, len(self._lines)) - 1]


def _proven(source: Source, found: Diagnostic, line: int, call: str) -> Iterator[Hit]:
    listed, code = load_rules()[found.code or ""], source.added.get(line)
    if code is not None and listed.is_proven(found.message, code, call):
        title = found.message if found.code in SPEAKING else None
        yield Hit.of(listed.rule, line, code, title=title)


def _git_lines(text: str) -> list[int]:
    r"""Map each of ruff's rows to a line of git, because ruff also ends a row at a lone ``\r``.

    The empty row after the last line maps to the last line, so an error at the end of the file has a line.
    """
    ends = _ROW_END.findall(text)
    lines = [1, *accumulate((end != "\r" for end in ends), initial=1)][1:]
    return [*lines[:-1], max(lines[-1] - 1, 1)] if text.endswith("\n") else lines
