"""Measures on real changes where quoted code is placed, and how long that takes.

It draws added or removed spans of one to five lines from three sources: the commits of this repository,
packages that are installed in two versions (pip carries older versions of some), and a package whose
synchronous half is a line-by-line translation of its asynchronous half. It draws a changed file first and
then a span of that file, so that no large file outweighs the others. It quotes each span with noise in the
white space, sometimes with markers or line numbers. The given line is right, 3 or 10 lines off, or missing.

    python benchmarks/anchoring.py [SPANS] [SEED]

It prints the outcomes in percent, then the seconds for 100 findings in one file of growing size. `wrong`
means that a place is shown as the quoted one but is not. `still there` means that the same run of changes
adds the removed span again, so it is shown at the head. The exit code is 1 when a bound of docs/findings.md
is exceeded.
"""

import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, product
from pathlib import Path
from typing import NamedTuple

from pr_review.domain.change import ChangedFile, FileStatus, Hunk, HunkLine, LineKind
from pr_review.domain.finding import AnchorStatus, Side
from pr_review.errors import ToolFailure
from pr_review.findings.matching import Anchor, FileIndex, place_quote
from pr_review.findings.quotes import normalise
from pr_review.git.command import Git
from pr_review.git.diff import compute_diff
from pr_review.git.tree import CommitTree

ROOT = Path(__file__).parents[1]
SITE = Path(sysconfig.get_path("purelib"))
TWICE = ("idna", "packaging", "pygments", "requests", "urllib3")
MAX_COMMITS = 300
LOCATED = {AnchorStatus.HUNK, AnchorStatus.OLD, AnchorStatus.FILE, AnchorStatus.NEAREST}
OUTCOMES = ("located", "nearest", "still there", "ambiguous", "lost", "wrong")
KINDS = (LineKind.ADDED, LineKind.REMOVED)
LENGTHS = (1, 2, 3, 4, 5)
ERRORS: dict[int | None, str] = {0: "line right", 3: "3 lines off", 10: "10 lines off", None: "no line"}
WEIGHTED_SOURCES = ("history", "history", "versions", "versions", "twins")
SIZES = (7_500, 15_000, 30_000, 60_000)

# Upper bounds: row, outcome, percent.
BOUNDS = (("all", "wrong", 0.5), ("2 lines or more", "wrong", 0.1), ("3 lines", "ambiguous", 3.0))
MAX_SECONDS = 1.0  # for 100 findings in 30,000 lines

Place = tuple[Side, int, int]


class Run(NamedTuple):
    """Consecutive changed lines without a context line between them; blank lines are left out."""

    added: list[HunkLine]
    removed: list[HunkLine]

    def of(self, kind: LineKind) -> list[HunkLine]:
        return self.added if kind is LineKind.ADDED else self.removed


class Pair(NamedTuple):
    """One changed file, ready to be searched."""

    file: FileIndex
    runs: list[Run]

    def long_enough(self, kind: LineKind, count: int) -> list[Run]:
        """The runs that hold at least this many lines of a kind."""
        return [run for run in self.runs if len(run.of(kind)) >= count]


class Span(NamedTuple):
    """A quoted span, and every right place for it."""

    lines: Sequence[HunkLine]
    place: Place
    still_there: set[Place]


def main() -> int:
    spans = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as scratch:
        sources = {
            "history": list(read_history()),
            "versions": list(read_trees(Path(scratch, "versions"), versions())),
            "twins": list(
                read_trees(
                    Path(scratch, "twins"), {"httpcore": (SITE / "httpcore/_async", SITE / "httpcore/_sync")}
                )
            ),
        }
    table = measure(sources, spans, random.Random(seed))
    print_table(sources, table)
    broken = [
        f"{row}: {outcome} above {most} %"
        for row, outcome, most in BOUNDS
        if share(table[row], outcome) > most
    ]
    seconds = {size: time_findings(size) for size in SIZES}
    for size, taken in seconds.items():
        print(f"100 findings in {size:6,} lines: {taken:.3f} s, {taken / size * 1e6:.1f} µs a line")
    broken += ["100 findings take too long"] if seconds[30_000] > MAX_SECONDS else []
    print("\n".join(broken) or "all bounds hold")
    return 1 if broken else 0


def versions() -> dict[str, tuple[Path, Path]]:
    """Packages that are installed and also exist as an older version inside pip."""
    pairs = {name: (SITE / "pip/_vendor" / name, SITE / name) for name in TWICE}
    return {name: pair for name, pair in pairs.items() if all(path.is_dir() for path in pair)}


def run_git(directory: Path, *arguments: str) -> str:
    people = {
        f"GIT_{role}_{key}": "a@example.com" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")
    }
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull} | people
    done = subprocess.run(
        ["git", *arguments], cwd=directory, env=env, check=True, capture_output=True, text=True
    )
    return done.stdout


def read_history() -> Iterator[Pair]:
    """Every commit with one parent, as a pull request."""
    log = run_git(ROOT, "log", "--no-merges", f"--max-count={MAX_COMMITS}", "--format=%P %H")
    commits = [line.split() for line in log.splitlines()]
    git_dir = Path(run_git(ROOT, "rev-parse", "--absolute-git-dir").strip())
    yield from read_commits(git_dir, [(ids[0], ids[1]) for ids in commits if len(ids) == 2])


def read_trees(repository: Path, trees: dict[str, tuple[Path, Path]]) -> Iterator[Pair]:
    """Two versions of some directories, as one pull request."""
    repository.mkdir()
    run_git(repository, "init", "-q")
    for side in (0, 1):
        for name, pair in trees.items():
            shutil.rmtree(repository / name, ignore_errors=True)
            shutil.copytree(
                pair[side], repository / name, ignore=shutil.ignore_patterns("__pycache__", "*.so")
            )
        run_git(repository, "add", "-A")
        run_git(repository, "commit", "-qm", "version", "--allow-empty")
    base, head = run_git(repository, "rev-parse", "HEAD~1", "HEAD").split()
    yield from read_commits(repository / ".git", [(base, head)])


def read_commits(git_dir: Path, pairs: Sequence[tuple[str, str]]) -> Iterator[Pair]:
    git = Git(git_dir, os.environ, lambda: 600.0)
    try:
        for base, head in pairs:
            before, after = CommitTree.load(git, base), CommitTree.load(git, head)
            for file in compute_diff(git, base, head).files:
                if runs := list(find_runs(file.hunks)):
                    old = read_lines(before, file.old_path or file.path)
                    yield Pair(FileIndex(file, read_lines(after, file.path), old), runs)
    finally:
        git.close()


def read_lines(tree: CommitTree, path: str) -> Sequence[str] | None:
    try:
        return tree.read(path).lines
    except ToolFailure:
        return () if tree.is_file(path) else None


def find_runs(hunks: Sequence[Hunk]) -> Iterator[Run]:
    for hunk in hunks:
        for changed, group in groupby(hunk.lines, key=lambda line: line.kind is not LineKind.CONTEXT):
            lines = [line for line in group if normalise(line.text)]
            if changed and lines:
                added, removed = ([line for line in lines if line.kind is kind] for kind in KINDS)
                yield Run(added, removed)


def measure(sources: dict[str, list[Pair]], spans: int, rng: random.Random) -> dict[str, Counter[str]]:
    """Draw, quote, place and judge spans; returns one counter per row of the table."""
    pools = {
        (name, kind, count): [pair for pair in sources[name] if pair.long_enough(kind, count)]
        for name, kind, count in product(sources, KINDS, LENGTHS)
    }
    table: dict[str, Counter[str]] = {}
    while spans > 0:
        key = name, kind, count = rng.choice(WEIGHTED_SOURCES), rng.choice(KINDS), rng.choice(LENGTHS)
        if not pools[key]:
            continue
        spans -= 1
        pair = rng.choice(pools[key])
        runs = pair.long_enough(kind, count)
        [run] = rng.choices(runs, [len(run.of(kind)) for run in runs])
        span = draw_span(run, kind, count, rng)
        error = rng.choice(list(ERRORS))
        hint = None if error is None else max(1, span.place[1] + error * rng.choice((1, -1)))
        outcome = judge(place_quote(pair.file, quote(span.lines, rng), hint), span)
        rows = ["all", name, kind.name.lower(), f"{count} line{'s' * (count > 1)}", ERRORS[error]]
        for row in rows + ["2 lines or more"] * (count > 1):
            table.setdefault(row, Counter())[outcome] += 1
    return table


def draw_span(run: Run, kind: LineKind, count: int, rng: random.Random) -> Span:
    """Consecutive lines of the kind, without blank lines."""
    start = rng.randint(0, len(run.of(kind)) - count)
    lines = run.of(kind)[start : start + count]
    texts = [normalise(line.text) for line in lines]
    again = (run.added[at : at + count] for at in range(len(run.added) - count + 1))
    copies = (part for part in again if [normalise(line.text) for line in part] == texts)
    return Span(
        lines, to_place(lines), {to_place(part) for part in copies} if kind is LineKind.REMOVED else set()
    )


def to_place(lines: Sequence[HunkLine]) -> Place:
    side = Side.LEFT if lines[0].kind is LineKind.REMOVED else Side.RIGHT
    first, last = (
        (line.old_line if side is Side.LEFT else line.new_line) or 0 for line in (lines[0], lines[-1])
    )
    return side, first, last


def quote(lines: Sequence[HunkLine], rng: random.Random) -> str:
    """The text with noise in its white space; sometimes as a patch or a numbered listing shows it."""
    noisy = [add_noise(line.text, rng) for line in lines]
    style = rng.random()
    if style < 0.1:
        noisy = [f"{line.kind}{text}" for line, text in zip(lines, noisy, strict=True)]
    elif style < 0.2:
        noisy = [f"{line.new_line or line.old_line}: {text}" for line, text in zip(lines, noisy, strict=True)]
    blank = rng.random() < 0.1
    return ("\n\n" if blank else "\n").join(noisy)


def add_noise(text: str, rng: random.Random) -> str:
    return rng.choice(
        (
            text,
            text.strip(),
            " " * rng.randint(1, 12) + text.lstrip(),
            text.replace("    ", "\t"),
            text.replace(" ", "  "),
            text + "  ",
            text + "\r",
        )
    )


def judge(found: Anchor, span: Span) -> str:
    if found.status is AnchorStatus.AMBIGUOUS:
        return "ambiguous"
    if found.status not in LOCATED or found.line is None:
        return "lost"
    place = (found.side, found.line, found.end_line or found.line)
    if place == span.place:
        return "nearest" if found.status is AnchorStatus.NEAREST else "located"
    return "still there" if place in span.still_there else "wrong"


def share(row: Counter[str], outcome: str) -> float:
    return 100 * row[outcome] / max(row.total(), 1)


def print_table(sources: dict[str, list[Pair]], table: dict[str, Counter[str]]) -> None:
    for name, pairs in sources.items():
        lines = sum(len(run.added) + len(run.removed) for pair in pairs for run in pair.runs)
        print(f"{name}: {len(pairs)} files, {lines:,} changed lines")
    print(f"\n{'percent':16}{'quotes':>8}" + "".join(f"{outcome:>13}" for outcome in OUTCOMES))
    for row in sorted(table, key=lambda row: (row != "all", row)):
        cells = "".join(f"{share(table[row], outcome):13.2f}" for outcome in OUTCOMES)
        print(f"{row:16}{table[row].total():8}{cells}")
    print()


def time_findings(size: int) -> float:
    """Seconds to index a file of ``size`` added lines and place 100 findings in it; the best of three."""
    rng = random.Random(size)
    texts = [f"    value_{rng.randrange(size * 2)} = compute({number % 97}, x)" for number in range(size)]
    lines = tuple(HunkLine(LineKind.ADDED, text, None, number) for number, text in enumerate(texts, start=1))
    file = ChangedFile(
        path="f.py", status=FileStatus.ADDED, header="", hunks=(Hunk(0, 0, 1, size, "", lines),)
    )
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        index = FileIndex(file, texts)
        for number in range(100):
            start = number * (size - 5) // 100
            place_quote(index, "\n".join(texts[start : start + 1 + number % 5]), start + 4)
        best = min(best, time.perf_counter() - started)
    return best


if __name__ == "__main__":
    sys.exit(main())
