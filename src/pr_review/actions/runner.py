"""The Actions runner: workflow commands on stdout, step outputs, the step summary.

The runner obeys what is printed. A line that starts with ``::`` after white space is a command, and the old
form ``##[command]`` is one anywhere in a line, on stdout and stderr alike; so whatever others wrote is
neutralised before it is printed (item 74, decision 16).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TextIO

from pr_review.actions.printed_commands import break_in_text
from pr_review.domain.run import MIB, Outcome
from pr_review.domain.text import show_controls

MAX_SUMMARY_BYTES = MIB  # above it the runner drops the step's whole summary
MIN_MASK_CHARS = 8  # masking a shorter value would blank harmless text all over the log

_DATA_ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY_ESCAPES = _DATA_ESCAPES | str.maketrans({":": "%3A", ",": "%2C"})


def escape_data(text: str) -> str:
    """Text as the data of a workflow command."""
    return text.translate(_DATA_ESCAPES)


def escape_property(text: str) -> str:
    """Text as a property of a workflow command."""
    return text.translate(_PROPERTY_ESCAPES)


def command(name: str, data: str = "", properties: Mapping[str, str | int] | None = None) -> str:
    """One workflow command: ``::name key=value,key=value::data``."""
    pairs = ",".join(f"{key}={escape_property(str(value))}" for key, value in (properties or {}).items())
    return f"::{name}{' ' if pairs else ''}{pairs}::{escape_data(data)}"


def neutralise(text: str) -> str:
    """Text that may be printed: no control character acts, no line of it is a workflow command."""
    return break_in_text(show_controls(text))


def mask_values(secret: str) -> list[str]:
    """What to mask for a secret: itself and each of its lines, as far as they are long enough."""
    parts = dict.fromkeys([secret, *secret.splitlines()])
    return [part for part in parts if len(part.strip()) >= MIN_MASK_CHARS]


def file_entry(name: str, value: str, delimiter: str) -> str:
    """One entry of a command file; the delimiter must not occur in the value."""
    if delimiter in value:
        raise ValueError("the delimiter occurs in the value")
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def step_outputs(outcome: Outcome, *, report_path: str, summary_path: str) -> dict[str, str]:
    """The outputs of the action, all of them always set; paths are relative to the workspace."""
    return {
        "conclusion": outcome.conclusion,
        "findings-count": str(
            sum(found.in_diff for found in outcome.review.findings) if outcome.review else 0
        ),
        "highest-severity": outcome.highest_severity or "",
        "report-path": report_path,
        "summary-path": summary_path,
        "termination-reason": outcome.termination_reason or "",
    }


@dataclass(frozen=True)
class Runner:
    """Talks to the runner; outside Actions it prints plain text and writes no files.

    ``out`` is the process's stdout, ``random_hex`` gives a new unpredictable text at each call.
    """

    out: TextIO
    random_hex: Callable[[], str]
    active: bool = False
    debugging: bool = False
    output_file: Path | None = None
    summary_file: Path | None = None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], out: TextIO, random_hex: Callable[[], str]) -> Self:
        """As the runner's variables say."""
        output, summary = environ.get("GITHUB_OUTPUT"), environ.get("GITHUB_STEP_SUMMARY")
        return cls(
            out=out,
            random_hex=random_hex,
            active=environ.get("GITHUB_ACTIONS") == "true",
            debugging=environ.get("RUNNER_DEBUG") == "1",
            output_file=Path(output) if output else None,
            summary_file=Path(summary) if summary else None,
        )

    def mask(self, secrets: Iterable[str]) -> None:
        """Have the runner blank these in the log; to be called before anything else is printed."""
        for secret in secrets:
            for value in mask_values(secret) if self.active else ():
                self._print(command("add-mask", value))

    def log(self, text: str) -> None:
        """Print anything."""
        self._print(neutralise(text))

    def log_exactly(self, text: str) -> None:
        """Print text for another program, byte for byte; the runner obeys nothing in it."""
        token = self.random_hex()
        if self.active:
            self._print(command("stop-commands", token))
        self.out.write(text)
        if self.active:
            self._print(command(token))
        self.out.flush()

    def debug(self, message: str) -> None:
        """Printed only when debug logging is on."""
        if self.debugging and self.active:
            self._print(command("debug", neutralise(message)))
        elif self.debugging:
            self.log(f"debug: {message}")

    def notice(self, message: str, properties: Mapping[str, str | int] | None = None) -> None:
        """An annotation; ``properties`` are those of the runner: title, file, line, endLine, …."""
        self._annotate("notice", message, properties)

    def warning(self, message: str, properties: Mapping[str, str | int] | None = None) -> None:
        """An annotation that warns."""
        self._annotate("warning", message, properties)

    def error(self, message: str, properties: Mapping[str, str | int] | None = None) -> None:
        """An annotation of an error; the step fails by its exit code only."""
        self._annotate("error", message, properties)

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Fold what is printed inside."""
        if self.active:
            self._print(command("group", neutralise(title)))
        else:
            self.log(title)
        try:
            yield
        finally:
            if self.active:
                self._print(command("endgroup"))

    def set_outputs(self, outputs: Mapping[str, str]) -> None:
        """Write step outputs; each has its own random delimiter, so no value can forge another."""
        if self.output_file is not None:
            text = "".join(file_entry(name, value, self._delimiter(value)) for name, value in outputs.items())
            _append(self.output_file, text.encode())

    def append_summary(self, markdown: str) -> bool:
        """Add to the step summary; False, and nothing written, without one or beyond the runner's limit."""
        if self.summary_file is None:
            return False
        data = markdown.encode() + b"\n"
        there = self.summary_file.stat().st_size if self.summary_file.exists() else 0
        if there + len(data) > MAX_SUMMARY_BYTES:
            return False
        _append(self.summary_file, data)
        return True

    def _annotate(self, name: str, message: str, properties: Mapping[str, str | int] | None) -> None:
        if self.active:
            # Neutralised too: a runner that does not know the command would look for the old form in it.
            shown = {key: neutralise(str(value)) for key, value in (properties or {}).items()}
            self._print(command(name, neutralise(message), shown))
        else:
            self.log(f"{name}: {message}")

    def _delimiter(self, value: str) -> str:
        delimiter = self.random_hex()
        while delimiter in value:
            delimiter += self.random_hex()
        return delimiter

    def _print(self, line: str) -> None:
        self.out.write(f"{line}\n")
        self.out.flush()


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)
