"""Compares two recordings: ``python -m tests.recorded_runs.compare A B``; exit code 1 when they differ."""

import argparse
import difflib
import itertools
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_DIFF_LINES = 40
MAX_LINE_CHARS = 200


@dataclass(frozen=True)
class Expected:
    """What may differ: lines that match a pattern, and JSON keys of review.json that only B has."""

    ignored: tuple[re.Pattern[str], ...] = ()
    added: frozenset[tuple[str, ...]] = frozenset()

    def keep(self, text: str) -> list[str]:
        """The lines that have to be equal."""
        lines = text.splitlines(keepends=True)
        return [line for line in lines if not any(pattern.search(line) for pattern in self.ignored)]


def compare_files(one: Path, other: Path, expected: Expected) -> list[str]:
    """A unified diff, empty when the files are equal; a file that is not there is an empty one."""
    before, after = (
        path.read_bytes().decode(errors="backslashreplace") if path.is_file() else "" for path in (one, other)
    )
    if before == after:
        return [] if one.is_file() == other.is_file() else ["an empty file is there in one of them only\n"]
    if one.name == "review.json" and before and after:
        before, after = _as_comparable(before, after, expected.added)
    diff = difflib.unified_diff(expected.keep(before), expected.keep(after), str(one), str(other), n=1)
    return list(diff)


def _as_comparable(before: str, after: str, added: frozenset[tuple[str, ...]]) -> tuple[str, str]:
    """Both reports written in one way, what was added taken out; the order of keys still counts.

    When nothing had to be taken out and the values are the same, the files as they stand.
    """
    old, new = json.loads(before), json.loads(after)
    left = without_added(old, new, added)
    written = _dumps(old), _dumps(left)
    return (before, after) if written[0] == written[1] == _dumps(new) else written


def _dumps(value: Any) -> str:
    """Without commas at line ends, so that a line more changes no other line."""
    return re.sub(r",$", "", f"{json.dumps(value, indent=1, ensure_ascii=False)}\n", flags=re.MULTILINE)


def without_added(old: Any, new: Any, added: frozenset[tuple[str, ...]], path: tuple[str, ...] = ()) -> Any:
    """``new`` without the keys of ``added`` that ``old`` lacks; ``*`` in a path stands for list items."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {
            key: without_added(old.get(key), value, added, (*path, key))
            for key, value in new.items()
            if key in old or (*path, key) not in added
        }
    if isinstance(old, list) and isinstance(new, list):
        pairs = itertools.zip_longest(old, new)
        return [without_added(before, after, added, (*path, "*")) for before, after in pairs][: len(new)]
    return new


def compare_scenarios(one: Path, other: Path, expected: Expected) -> dict[str, list[str]]:
    """The diffs of one scenario by file name; only of files that differ."""
    names = sorted({*_files(one), *_files(other)})
    diffs = {name: compare_files(one / name, other / name, expected) for name in names}
    return {name: diff for name, diff in diffs.items() if diff}


def _files(folder: Path) -> Iterator[str]:
    return (str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _shorten(diff: Sequence[str]) -> Iterator[str]:
    for line in diff[:MAX_DIFF_LINES]:
        text = line.rstrip("\n")
        yield text if len(text) <= MAX_LINE_CHARS else f"{text[:MAX_LINE_CHARS]}…"
    if len(diff) > MAX_DIFF_LINES:
        yield f"… {len(diff) - MAX_DIFF_LINES} more lines"


def compare(one: Path, other: Path, expected: Expected) -> int:
    """Print what differs, and a line a scenario; returns how many scenarios differ."""
    names = sorted({path.name for folder in (one, other) for path in folder.iterdir() if path.is_dir()})
    differing = 0
    for name in names:
        diffs = compare_scenarios(one / name, other / name, expected)
        for diff in diffs.values():
            print("\n".join(_shorten(diff)))
        print(f"differs {name}: {', '.join(diffs)}" if diffs else f"equal {name}")
        differing += bool(diffs)
    print(f"{len(names)} scenarios, {differing} differ")
    return differing


def main() -> None:
    """Compare; the exit code says whether anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("one", type=Path, metavar="A")
    parser.add_argument("other", type=Path, metavar="B")
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="REGEX", help="lines that may differ; repeatable"
    )
    parser.add_argument(
        "--added",
        action="append",
        default=[],
        metavar="KEY.PATH",
        help="a key of review.json that only B has, * for list items (findings.*.kind); repeatable",
    )
    options = parser.parse_args()
    for folder in (options.one, options.other):
        if not folder.is_dir():
            parser.error(f"{folder} is no recording")
    expected = Expected(
        tuple(re.compile(pattern) for pattern in options.ignore),
        frozenset(tuple(path.split(".")) for path in options.added),
    )
    sys.exit(1 if compare(options.one, options.other, expected) else 0)


if __name__ == "__main__":
    main()
