"""The time of a whole offline review of many Python files, from process start to its end.

Prints the medians of wall and CPU time in seconds (CPU with all child processes), and of plain `ruff check`
on the same files. Run it on an idle machine: `python -m benchmarks.checks [--files 3000] [--runs 5]`.
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

from benchmarks.whole_run import Taken

MODULE = '''"""Orders of region {0}."""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Order{0}:
    """What a customer ordered."""

    number: int
    weight: float
    note: str = ""


def load_{0}(path: str) -> list[Order{0}]:
    """The orders of a file."""
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)
    return [Order{0}(int(row["number"]), float(row["weight"]), row.get("note", "")) for row in rows]


def heaviest_{0}(orders: list[Order{0}]) -> Order{0} | None:
    """The order with the largest weight."""
    return max(orders, key=lambda order: order.weight, default=None)
'''


def build_repository(folder: Path, files: int) -> None:
    """An empty base commit, and a commit on it that adds the files."""
    stream = ["commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 1\nb\n"]
    stream.append(
        "commit refs/heads/topic\ncommitter A <a@b> 1700000001 +0000\ndata 1\nh\nfrom refs/heads/main\n"
    )
    for number in range(files):
        text = MODULE.format(number)
        path = f"region{number % 60}/orders_{number}.py"
        stream.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n")
    for command in (("init", "--quiet"), ("fast-import", "--quiet"), ("checkout", "--quiet", "topic")):
        subprocess.run(["git", *command], cwd=folder, input="".join(stream).encode(), check=True)


def measure(command: Sequence[str], folder: Path, allowed: Sequence[int] = (0,)) -> Taken:
    before, started = os.times(), time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    wall, after = time.perf_counter() - started, os.times()
    if done.returncode not in allowed:
        raise SystemExit(done.stdout.decode() + done.stderr.decode())
    cpu = (after.children_user + after.children_system) - (before.children_user + before.children_system)
    return Taken(wall, cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_repository(folder, options.files)
        review = (sys.executable, "-m", "pr_review", "local", "--provider", "offline", "--base", "main")
        plain = (sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--quiet", ".")
        pairs = [(measure(review, folder), measure(plain, folder, (0, 1))) for _ in range(options.runs)]
    for kind in Taken._fields:
        ours, bare = (
            statistics.median(getattr(taken, kind) for taken in column) for column in zip(*pairs, strict=True)
        )
        print(f"{options.files} files, {kind:4} time: review {ours:.2f} s, plain ruff {bare:.2f} s")


if __name__ == "__main__":
    main()
