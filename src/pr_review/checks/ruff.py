"""Runs ruff on the head versions of Python files, many files in one process, with a fixed list of rules.

No other module starts ruff. Neither the repository's configuration nor comments in the files change the
rules. Ruff parses the files and never executes them.

The files lie in a private temporary folder under numbers. So no name of a repository reaches a command line
or the file system, and no rule about folders (``build``, ``.venv``) hides a file. The end of the name stays,
because ruff reads a stub and an ``__init__`` differently.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from threading import Event, Lock, Timer
from typing import NoReturn

from pr_review.checks.hit import CheckResult
from pr_review.checks.ruff_diagnostics import Diagnostic, FileDiagnostics
from pr_review.checks.ruff_rules import SYNTAX_ERROR, load_rules
from pr_review.checks.source import Source
from pr_review.domain.sizes import MIB

NAME = "ruff"
SUFFIXES = (".py", ".pyi", ".pyw")
TARGET_VERSION = "py314"  # the newest syntax, because only the project's own CI knows its oldest Python
TIMEOUT_SECONDS = 30.0  # for one process; and a tenth of a second more for each file
SECONDS_PER_FILE = 0.1
MIN_SECONDS = 0.2  # no process is started with less time left
BATCH_FILES = 256
BATCH_CHARS = 16 * MIB
MAX_DIAGNOSTIC_BYTES = 16 * MIB  # a message can quote a name, which is at most as long as the file

_CLEAN, _FOUND = 0, 1
_NUMBER = re.compile(r".*/([0-9]+)(?:/__init__)?\.pyi?")


def find_ruff() -> Path | None:
    """The path of the ruff executable that is installed beside this program, or None."""
    from ruff import find_ruff_bin  # type: ignore[import-untyped]  # noqa: PLC0415 -- start-up

    try:
        return Path(find_ruff_bin())
    except FileNotFoundError:
        return None


@dataclass
class _Failed(Exception):
    """A process of ruff told nothing, and ``why``; ``by_file``: one of its files may be the cause."""

    why: str
    by_file: bool = False


class Ruff:
    """Checks files with the executable ``binary``, until ``kill`` ends what runs and refuses what comes.

    ``scratch`` is a private folder for temporary files. ``remaining`` gives the seconds that are left of the
    run; one process takes at most half of them, so that the run can still report.
    """

    def __init__(
        self,
        binary: Path,
        scratch: Path,
        remaining: Callable[[], float],
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self._binary = binary
        self._scratch = scratch
        self._remaining = remaining
        self._timeout_seconds = timeout_seconds
        self._lock = Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._killed = False

    def check(self, sources: Sequence[Source]) -> list[CheckResult]:
        """What ruff proves about each file, in order; a file that ruff cannot check costs no other file."""
        return [result for batch in _batches(sources) for result in self._check_batch(batch)]

    def kill(self) -> None:
        """End the running processes; can be called repeatedly and from any thread."""
        with self._lock:
            self._killed = True
            for process in self._running:
                process.kill()

    def _check_batch(self, batch: Sequence[Source]) -> list[CheckResult]:
        """Halve a batch that failed, until the file is found that made it fail."""
        try:
            return self._lint(batch)
        except Exception as error:  # noqa: BLE001 -- a bug that one file provokes must not hide the others
            failure = (
                error
                if isinstance(error, _Failed)
                else _Failed(f"it failed with {type(error).__name__}", by_file=True)
            )
            if not failure.by_file or len(batch) == 1:
                return [CheckResult(failure=failure.why)] * len(batch)
        middle = len(batch) // 2
        return [*self._check_batch(batch[:middle]), *self._check_batch(batch[middle:])]

    def _lint(self, batch: Sequence[Source]) -> list[CheckResult]:
        files = [FileDiagnostics(source) for source in batch]
        try:
            with TemporaryDirectory(prefix="checks-", dir=self._scratch) as name:
                folder = Path(name)
                names = [_write(folder, number, source) for number, source in enumerate(batch)]
                self._run(folder, names, lambda number, found: files[number].take(found))
        except OSError as error:
            raise _Failed("its temporary files could not be written") from error
        return [file.result for file in files]

    def _run(self, folder: Path, names: Sequence[str], take: Callable[[int, Diagnostic], None]) -> None:
        """Run one process over the files; ``take`` gets each diagnostic with the number of its file."""
        seconds = min(self._timeout_seconds + SECONDS_PER_FILE * len(names), self._remaining() / 2)
        if seconds < MIN_SECONDS:
            raise _Failed("no time was left")
        process, expired = self._start(folder, names), Event()
        timer = Timer(seconds, _expire, (process, expired))
        timer.start()
        try:
            with process:
                _read(process, take)
        finally:
            timer.cancel()
            with self._lock:
                self._running.discard(process)
        if process.returncode not in {_CLEAN, _FOUND}:
            self._fail(expired=expired.is_set())

    def _start(self, folder: Path, names: Sequence[str]) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._killed:
                raise _Failed("the run was ended")
            try:
                process = subprocess.Popen(
                    [self._binary, *_arguments(), *names],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={},
                    cwd=folder,
                )
            except OSError as error:
                raise _Failed("it could not be started") from error
            self._running.add(process)
        return process

    def _fail(self, *, expired: bool) -> NoReturn:
        if self._killed:
            raise _Failed("the run was ended")
        raise _Failed("it took too long" if expired else "it crashed", by_file=True)


def _arguments() -> list[str]:
    return [
        "check",
        "--isolated",
        "--ignore-noqa",
        "--no-cache",
        "--no-respect-gitignore",
        "--no-force-exclude",
        "--output-format=json-lines",
        f"--target-version={TARGET_VERSION}",
        f"--select={','.join(code for code in load_rules() if code != SYNTAX_ERROR)}",
        "--",
    ]


def _batches(sources: Iterable[Source]) -> Iterator[list[Source]]:
    """At most ``BATCH_FILES`` files and about ``BATCH_CHARS`` characters each."""
    batch: list[Source] = []
    size = 0
    for source in sources:
        batch.append(source)
        size += len(source.text or "")
        if len(batch) == BATCH_FILES or size >= BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _write(folder: Path, number: int, source: Source) -> str:
    """Write the file under its number; the name, relative to ``folder``."""
    pure = PurePosixPath(source.path)
    suffix = ".pyi" if pure.suffix.lower() == ".pyi" else ".py"
    name = f"{number}/__init__{suffix}" if pure.stem == "__init__" else f"{number}{suffix}"
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    with path.open("xb") as file:
        file.write((source.text or "").encode(errors="replace"))
    return name


def _expire(process: subprocess.Popen[bytes], expired: Event) -> None:
    expired.set()
    process.kill()


def _read(process: subprocess.Popen[bytes], take: Callable[[int, Diagnostic], None]) -> None:
    """Take the diagnostics as ruff writes them, so that memory holds one at a time."""
    try:
        while process.stdout and (raw := process.stdout.readline(MAX_DIAGNOSTIC_BYTES)):
            take(*_parse(raw))
    except (ValueError, KeyError, TypeError) as error:  # half a line of a process that crashed
        process.kill()
        raise _Failed("it crashed", by_file=True) from error


def _parse(raw: bytes) -> tuple[int, Diagnostic]:
    """One line of ruff's json-lines output."""
    found = json.loads(raw)
    at = found["location"]
    diagnostic = Diagnostic(found["code"], found["message"], at["row"], at["column"])
    number = _NUMBER.fullmatch(found["filename"])
    if number is None:
        raise ValueError("no file of ours")
    return int(number[1]), diagnostic
