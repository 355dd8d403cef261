"""A whole one-file review with `pr-review local`, from process start to its end; the model answers at once.

Prints medians of wall and CPU time in seconds, and the ratio to `python -c "import httpx, pydantic"`.
Run it on an idle machine: `python -m benchmarks.whole_run [RUNS]`.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.startup import Model, make_repository, model_environment

BARE = (sys.executable, "-c", "import httpx, pydantic")


class Taken(NamedTuple):
    """What one process took, in seconds; ``cpu`` is its own, without the git processes that it starts."""

    wall: float
    cpu: float


def measure(command: Sequence[str], environment: dict[str, str], folder: Path) -> Taken:
    started = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[-1]} ended with {process.returncode}")
    return Taken(wall, usage.ru_utime + usage.ru_stime)


def main(runs: int) -> None:
    model = Model()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        repository = folder / "repository"
        repository.mkdir()
        make_repository(repository)
        environment = model_environment(model)
        review = (sys.executable, "-m", "pr_review", "local", "--repo", str(repository))
        pairs = [
            (measure(review, environment, folder), measure(BARE, environment, folder))
            for _ in range(runs + 1)
        ][1:]  # the first pair warms the file cache
    print(f"runs                                  {runs}")
    for kind in Taken._fields:
        ours, bare = ([getattr(taken, kind) for taken in column] for column in zip(*pairs, strict=True))
        ratio = statistics.median(one / other for one, other in zip(ours, bare, strict=True))
        print(f"whole review, {kind:4} time               {statistics.median(ours):.3f} s")
        print(f'python -c "import httpx, pydantic"    {statistics.median(bare):.3f} s')
        print(f"ratio, pair by pair                   {ratio:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", type=int, nargs="?", default=11, help="how often to measure (default 11)")
    main(parser.parse_args().runs)
