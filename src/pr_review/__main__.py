"""The process: signal handlers before anything heavy , then the command line."""

import os
import sys
from contextlib import suppress
from typing import NoReturn

from pr_review.app import signals


def main() -> NoReturn:
    """Run the command line and leave at once: an abandoned worker thread must not hold the process."""
    signals.install(os.environ)
    from pr_review.app.cli import run_command  # noqa: PLC0415 -- after the handlers, by design

    code = run_command(sys.argv[1:])
    with suppress(BrokenPipeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
