"""The Actions runner: prints messages and workflow commands, writes step outputs and the step summary."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TextIO

from pr_review.actions.commands import command, mask_values, neutralise
from pr_review.domain.sizes import MIB

MAX_SUMMARY_BYTES = MIB  # the runner drops the whole summary of a step when it is larger


def file_entry(name: str, value: str, delimiter: str) -> str:
    """Return one entry of a command file. The delimiter must not occur in the value."""
    if delimiter in value:
        raise ValueError("the delimiter occurs in the value")
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


@dataclass(frozen=True)
class Runner:
    """Talks to the runner. Outside Actions it prints plain text and writes no files.

    ``out`` is the standard output of the process. ``random_hex`` gives a new unpredictable text at each call.
    """

    out: TextIO
    random_hex: Callable[[], str]
    active: bool = False
    debugging: bool = False
    output_file: Path | None = None
    summary_file: Path | None = None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], out: TextIO, random_hex: Callable[[], str]) -> Self:
        """Return a runner as its environment variables describe it."""
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
        """Make the runner blank these values in the log. Call it before anything else is printed."""
        for secret in secrets:
            for value in mask_values(secret) if self.active else ():
                self._print(command("add-mask", value))

    def log(self, text: str) -> None:
        """Print any text; nothing in it is obeyed."""
        self._print(neutralise(text))

    def log_exactly(self, text: str) -> None:
        """Print text for another program byte for byte. The runner obeys nothing in it."""
        token = self.random_hex()
        if self.active:
            self._print(command("stop-commands", token))
        self.out.write(text)
        if self.active:
            self._print(command(token))
        self.out.flush()

    def debug(self, message: str) -> None:
        """Print a message when debug logging is on."""
        if self.debugging and self.active:
            self._print(command("debug", neutralise(message)))
        elif self.debugging:
            self.log(f"debug: {message}")

    def notice(self, message: str, properties: Mapping[str, str | int] | None = None) -> None:
        """Print an annotation. ``properties`` are the runner's: title, file, line, endLine and others."""
        self._annotate("notice", message, properties)

    def warning(self, message: str, properties: Mapping[str, str | int] | None = None) -> None:
        """Print a warning annotation."""
        self._annotate("warning", message, properties)

    def error(self, message: str, properties: Mapping[str, str | int] | None = None) -> None:
        """Print an error annotation. It does not fail the step; only the exit code does."""
        self._annotate("error", message, properties)

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Fold the output of the block in the log."""
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
        """Write step outputs. Each has its own random delimiter, so no value can forge an output."""
        if self.output_file is not None:
            text = "".join(file_entry(name, value, self._delimiter(value)) for name, value in outputs.items())
            _append(self.output_file, text.encode())

    def append_summary(self, markdown: str) -> bool:
        """Add to the step summary. Returns False without a summary file or beyond the limit."""
        if self.summary_file is None:
            return False
        data = markdown.encode() + b"\n"
        present = self.summary_file.stat().st_size if self.summary_file.exists() else 0
        if present + len(data) > MAX_SUMMARY_BYTES:
            return False
        _append(self.summary_file, data)
        return True

    def _annotate(self, name: str, message: str, properties: Mapping[str, str | int] | None) -> None:
        if self.active:
            # A runner that does not know the command looks for the old form in it, so nothing stays as it is.
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
