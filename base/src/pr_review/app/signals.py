"""Signal handlers for the first moments of the process, before anything heavy is imported.

Only modules that need nothing but the standard library are imported here, and all of them now: inside a
handler an import could meet itself half done. The event loop replaces these handlers once it runs.
"""

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType

from pr_review.actions.output_directory import ReportDirectory
from pr_review.config.defaults import DEFAULT_OUTPUT_DIR
from pr_review.errors import Interrupted, PrReviewError
from pr_review.report.artifact.minimal import minimal_report, minimal_summary
from pr_review.report.formats import ARTIFACT, FILES

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def install(environ: Mapping[str, str]) -> None:
    """On SIGINT or SIGTERM write the reports and leave at once with 130 or 143.

    The reports go where the runner's variables in ``environ`` say; without them (a terminal) there are none.
    """

    def leave(number: int, _frame: FrameType | None) -> None:
        error = Interrupted(number)
        try:
            report(environ, error)
        finally:
            os._exit(error.exit_code)

    for number in SIGNALS:
        signal.signal(number, leave)


def report(environ: Mapping[str, str], error: PrReviewError) -> None:
    """Write what can be written of a run of which only the error is known.

    Each channel on its own: one that fails takes none of the others with it.
    """
    with suppress(OSError):
        os.write(1, f"error [{error.code}]: {error.detail}\n{error.advice}\n".encode())
    path = ""
    with suppress(OSError, PrReviewError):
        path = _write_artifact(environ, error)
    _append(environ.get("GITHUB_STEP_SUMMARY"), minimal_summary(error))
    _append(environ.get("GITHUB_OUTPUT"), f"conclusion=failed\nreport-path={path}\n")


def _write_artifact(environ: Mapping[str, str], error: PrReviewError) -> str:
    """The path of the artifact, relative to the workspace, or an empty text where there is no workspace."""
    if not (workspace := environ.get("GITHUB_WORKSPACE")):
        return ""
    with _open_directory(Path(workspace), environ.get("INPUT_OUTPUT-DIR", "").strip()) as directory:
        path = directory.write(ARTIFACT, minimal_report(error))
        for name in FILES:  # of an earlier run, or of this one before a bug: they would contradict it
            if name != ARTIFACT:
                with suppress(PrReviewError):
                    directory.remove(name)
        return path


def _open_directory(workspace: Path, output_dir: str) -> ReportDirectory:
    try:
        return ReportDirectory.open(workspace, output_dir or DEFAULT_OUTPUT_DIR)
    except PrReviewError:
        # What stands there cannot be used, perhaps because the pull request committed it; nobody can have
        # committed a random name.
        return ReportDirectory.open(workspace, f"{DEFAULT_OUTPUT_DIR}-{os.urandom(8).hex()}")


def _append(path: str | None, text: str) -> None:
    if path:
        with suppress(OSError), Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
