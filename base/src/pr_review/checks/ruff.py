"""Runs ruff on the head version of one Python file, with a fixed list of rules.

No other module starts ruff. Neither the repository's configuration nor comments in the file change the rules.
Ruff parses the file and never executes it.
"""

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate, islice
from pathlib import Path
from threading import Lock, Timer

from pr_review.checks.hit import Hit, Rule
from pr_review.checks.source import Source
from pr_review.domain.finding import Category, Severity
from pr_review.errors import ReviewError

NAME = "ruff"
SUFFIXES = (".py", ".pyi", ".pyw")
TARGET_VERSION = "py314"  # the newest syntax, because only the project's own CI knows its oldest Python
TIMEOUT_SECONDS = 60.0
MAX_DIAGNOSTICS = 10_000
MAX_LINE_CHARS = 2000  # the part of a line in which ``unless_code`` is searched
SYNTAX_ERROR = "invalid-syntax"

_CLEAN, _FOUND = 0, 1
_SPEAKING = {"F821", "F823", SYNTAX_ERROR}  # ruff's message names the code at fault; the title cannot
_TEMPLATE = re.compile(r"\{%[^\n]{0,200}%\}|\{\{[^\n{}]{0,200}\}\}")  # the file is a template of Python code
_ROW_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class RuffRule:
    """A rule of the table, with its exceptions.

    A diagnostic proves nothing if ruff's message contains ``unless``, or if the pattern ``unless_code``
    matches in the line.
    """

    rule: Rule
    unless: str | None = None
    unless_code: str | None = None

    def is_proven(self, message: str, line: str) -> bool:
        """Whether a diagnostic with this message on this line is a defect."""
        if self.unless and self.unless in message:
            return False
        return not (self.unless_code and re.search(self.unless_code, line[:MAX_LINE_CHARS]))


@dataclass(frozen=True)
class Diagnostic:
    """One diagnostic of ruff; ``line`` is the line as git counts it."""

    code: str
    message: str
    line: int

    @classmethod
    def parse(cls, raw: bytes, lines: list[int]) -> "Diagnostic":
        """Parse one line of ruff's json-lines output; ``lines`` maps the row to git's line."""
        found = json.loads(raw)
        row = found["location"]["row"]
        return cls(found["code"], found["message"], lines[min(row, len(lines)) - 1])


@cache
def load_rules() -> dict[str, RuffRule]:
    """Load ``ruff_rules.toml`` as a mapping from code to rule, in the order of the file."""
    text = files(__package__).joinpath("ruff_rules.toml").read_text(encoding="utf-8")
    return {code: _rule(code, row) for code, row in tomllib.loads(text).items()}


def find_ruff() -> Path | None:
    """The path of the ruff executable that is installed beside this program, or None."""
    from ruff import find_ruff_bin  # type: ignore[import-untyped]  # noqa: PLC0415 -- start-up

    try:
        return Path(find_ruff_bin())
    except FileNotFoundError:
        return None


class Ruff:
    """Runs one process of ruff per file, until ``kill`` ends the running ones and refuses new ones."""

    def __init__(self, binary: Path, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._binary = binary
        self._timeout_seconds = timeout_seconds
        self._lock = Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._killed = False

    def find(self, source: Source) -> list[Hit]:
        """Find hits of the listed rules on added lines of a Python file.

        Of several syntax errors only the first counts, because the others may follow from it. Raises
        ``ReviewError`` if ruff cannot start, crashes, exceeds the timeout or reports more than
        ``MAX_DIAGNOSTICS``.
        """
        text = source.text or ""
        lines = _git_lines(text)
        diagnostics = [Diagnostic.parse(raw, lines) for raw in self._run(source.path, text)]
        others = [each for each in diagnostics if each.code != SYNTAX_ERROR]
        syntax = [each for each in diagnostics if each.code == SYNTAX_ERROR][:1]
        kept = others if _TEMPLATE.search(text) else [*syntax, *others]
        return [hit for each in kept for hit in _hits(source, each)]

    def kill(self) -> None:
        """End the running processes; can be called repeatedly and from any thread."""
        with self._lock:
            self._killed = True
            for process in self._running:
                process.kill()

    def _run(self, path: str, text: str) -> list[bytes]:
        process = self._start(path)
        timer = Timer(self._timeout_seconds, process.kill)
        timer.start()
        try:
            with process:
                _feed(process, text)
                found = list(islice(process.stdout or (), MAX_DIAGNOSTICS + 1))
                if len(found) > MAX_DIAGNOSTICS:
                    process.kill()
        finally:
            timer.cancel()
            with self._lock:
                self._running.discard(process)
        if process.returncode not in {_CLEAN, _FOUND} or len(found) > MAX_DIAGNOSTICS:
            raise _failure()
        return found

    def _start(self, path: str) -> subprocess.Popen[bytes]:
        arguments = [
            "check",
            "--isolated",
            "--ignore-noqa",
            "--no-cache",
            "--output-format=json-lines",
            f"--target-version={TARGET_VERSION}",
            f"--select={','.join(code for code in load_rules() if code != SYNTAX_ERROR)}",
            '--config=builtins=["_", "get_ipython"]',  # gettext and IPython define these two
            f"--stdin-filename={path}",
            "-",
        ]
        with self._lock:
            if self._killed:
                raise _failure()
            try:
                process = subprocess.Popen(
                    [self._binary, *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={},
                    cwd=self._binary.parent,
                )
            except OSError as error:
                raise _failure() from error
            self._running.add(process)
        return process


def _feed(process: subprocess.Popen[bytes], text: str) -> None:
    """Write the whole input first; this cannot deadlock, because ruff reads all of it before it writes."""
    if process.stdin:
        with suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(text.encode())


def _failure() -> ReviewError:
    return ReviewError("check_failed", "ruff could not check a file.", "Run ruff on the file to see why.")


def _rule(code: str, row: dict[str, str]) -> RuffRule:
    rule = Rule(
        code,
        Severity(row["severity"]),
        Category(row["category"]),
        row["title"],
        row["why"],
        row["fix"],
        cause=row.get("cause", ""),
    )
    return RuffRule(rule, row.get("unless"), row.get("unless_code"))


def _hits(source: Source, found: Diagnostic) -> Iterator[Hit]:
    listed, code = load_rules().get(found.code), source.added.get(found.line)
    if listed and code is not None and listed.is_proven(found.message, code):
        title = found.message if found.code in _SPEAKING else None
        yield Hit.of(listed.rule, found.line, code, title=title)


def _git_lines(text: str) -> list[int]:
    r"""Map each of ruff's rows to a line of git, because ruff also ends a row at a lone ``\r``.

    The empty row after the last line maps to the last line, so an error at the end of the file has a line.
    """
    ends = _ROW_END.findall(text)
    lines = [1, *accumulate((end != "\r" for end in ends), initial=1)][1:]
    return [*lines[:-1], max(lines[-1] - 1, 1)] if text.endswith("\n") else lines
