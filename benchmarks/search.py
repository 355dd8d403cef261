"""Compares search, read and diff at a commit with plain git on the same commit.

    python benchmarks/search.py [--files 20000] [--runs 9]

It prints the medians of alternating runs and their ratio. Targets: a search takes at most 1.3 times as long
as ``git grep -F``, and 500 reads start one git process.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from pr_review.git.diff import compute_diff
from pr_review.git.object_store import ObjectStore
from pr_review.git.search import Searcher
from pr_review.git.tree import CommitTree

LIMIT = 50  # search_repository's default
QUERIES = {"absent": "no such text anywhere", "rare": "needle_in_3_files", "very common": "return"}
TARGET = 1.3


def build_repository(folder: Path, files: int) -> tuple[str, str]:
    """Commit ``files`` source-like files of about 2 KiB, then 30,000 changed lines; return base and head."""
    dice = random.Random(2)
    words = [f"name_{n:04d}" for n in range(3000)]

    def source(number: int) -> str:
        lines = [f"    {dice.choice(words)} = {dice.choice(words)}({n})\n" for n in range(50)]
        rare = "needle_in_3_files\n" if number in {files // 4, files // 2, files - 1} else ""
        return f"def f{number}():\n{''.join(lines)}    return {number}\n{rare}"

    stream = ["commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 1\nb\n"]
    for number in range(files):
        text = source(number)
        stream.append(
            f"M 100644 inline d{number % 97}/e{number % 13}/f{number}.py\ndata {len(text)}\n{text}\n"
        )
    stream.append("commit refs/heads/main\ncommitter A <a@b> 1700000001 +0000\ndata 1\nh\n")
    for number in range(300):
        text = "".join(f"value_{number}_{n} = {dice.random()}\n" for n in range(100))
        stream.append(f"M 100644 inline new/f{number}.py\ndata {len(text)}\n{text}\n")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input="".join(stream).encode(), check=True)
    shas = subprocess.run(["git", "rev-parse", "main~1", "main"], cwd=folder, capture_output=True, check=True)
    base, head = shas.stdout.decode().split()
    return base, head


def compare(ours: Callable[[], object], plain: Callable[[], object], runs: int) -> tuple[float, float]:
    """Median seconds of both; the runs alternate, so that a busy machine slows both."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        for call, taken in zip((ours, plain), times, strict=True):
            start = time.perf_counter()
            call()
            taken.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def logging_git(folder: Path) -> Path:
    """A ``git`` for PATH that writes one line to ``folder/log`` for each process started."""
    script = folder / "git"
    script.write_text(f'#!/bin/sh\necho "$*" >> {folder}/log\nexec {shutil.which("git")} "$@"\n')
    script.chmod(0o755)
    return folder / "log"


@contextmanager
def open_store(workspace: Path, scratch: Path, env: Mapping[str, str]) -> Iterator[ObjectStore]:
    with closing(ObjectStore.allocate(workspace, scratch, env=env, remaining=lambda: 600.0)) as store:
        store.fill()
        yield store


def measure_search(store: ObjectStore, folder: Path, head: str, runs: int) -> None:
    searcher = Searcher(store.git, CommitTree.load(store.git, head), head)
    print(f"{'search':<12} {'ours ms':>9} {'git grep -F ms':>15} {'ratio':>6}   target {TARGET}")
    for name, query in QUERIES.items():
        plain = ["git", "grep", "-F", "-n", "-e", query, head]
        ours, grep = compare(
            lambda query=query: searcher.search(query, "", LIMIT),  # type: ignore[misc]
            lambda plain=plain: subprocess.run(plain, cwd=folder, check=False, capture_output=True),  # type: ignore[misc]
            runs,
        )
        print(f"{name:<12} {ours * 1000:>9.1f} {grep * 1000:>15.1f} {ours / grep:>6.2f}")


def measure_reads(store: ObjectStore, log: Path, head: str) -> None:
    tree = CommitTree.load(store.git, head)
    paths = tree.files()[:500]
    before = len(log.read_text().splitlines())
    start = time.perf_counter()
    for path in paths:
        tree.read(path)
    taken = time.perf_counter() - start
    spawned = len(log.read_text().splitlines()) - before
    print(f"read {len(paths)} files: {taken * 1000:.0f} ms, {spawned} git process(es) spawned")


def measure_diff(store: ObjectStore, base: str, head: str, runs: int) -> None:
    plain = ["git", "-C", str(store.git.git_dir), "diff-tree", "-r", "-p", "-M", base, head]
    ours, git = compare(
        lambda: compute_diff(store.git, base, head),
        lambda: subprocess.run(plain, check=False, capture_output=True),
        runs,
    )
    lines = sum(file.additions for file in compute_diff(store.git, base, head).files)
    print(f"diff of {lines} lines: ours {ours * 1000:.0f} ms, one git diff-tree -p {git * 1000:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base, head = build_repository(folder / "work", options.files)
        shim = folder / "bin"
        shim.mkdir()
        log = logging_git(shim)
        env = os.environ | {"PATH": f"{shim}:{os.environ['PATH']}"}
        with open_store(folder / "work", folder, os.environ) as store:
            measure_search(store, folder / "work", head, options.runs)
            measure_diff(store, base, head, options.runs)
        with open_store(folder / "work", folder, env) as store:
            measure_reads(store, log, head)


if __name__ == "__main__":
    main()
