"""The process: signal handlers before anything heavy, then the command line."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

from pr_review.app import signals

GARBAGE_THRESHOLD = (
    50_000  # allocations between collections; imports alone would cause dozens of useless ones
)


def main() -> NoReturn:
    """Run the command line and leave at once: an abandoned worker thread must not hold the process."""
    gc.set_threshold(GARBAGE_THRESHOLD)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # nobody else's code validates our records
    signals.install(os.environ)
    from pr_review.app.cli import run_command  # noqa: PLC0415 -- after the handlers, by design
    from pr_review.app.process import Process  # noqa: PLC0415 -- as above

    code = run_command(sys.argv[1:], Process.of_process())
    with suppress(BrokenPipeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
