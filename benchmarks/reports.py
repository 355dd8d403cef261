"""The time and memory of all reports of the largest answer: 2 MiB, 100 findings, 100 notes of 8 KiB.

Prints, for texts of several kinds, the median seconds of CPU time for each report and for all together, and
the peak memory of a process that does nothing else, without and with them.

    python -m benchmarks.reports [RUNS]

The exit code is 1 when the first two kinds, what reviewers write, need more than 3 s or 200 MiB. The last
kind is the worst that we know: a list with an item of one letter on every line.
"""

import resource
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from pr_review.domain.finding import Edit, Excerpt, Finding, Review, Severity
from pr_review.domain.run import MAX_FIELD_BYTES, MAX_FINDINGS, MAX_NOTES, Conclusion, Outcome
from pr_review.domain.sizes import KIB, MIB, utf8_size
from pr_review.report.artifact.build import build, to_json
from pr_review.report.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_SECONDS, MAX_MIB = 3.0, 200.0
TEXTS = {
    "prose": "The `value` of x is wrong because the caller passes None here, as a_b.c(1) in #12 shows.\n",
    "Markdown": (
        "- The **value** of `x` is wrong, because the caller passes `None`, and then:\n"
        "  1. it is stored\n  2. it is read by `load()` and compared with **zero**\n\n"
        "```python\nif value is None:\n    raise ValueError(value)\n```\n"
    ),
    "mentions": "@a #1 https://x.example/y ",
    "lists": "- a\n",
}
ANSWER_BYTES = 2 * MIB


def text(kind: str, size: int, number: int) -> str:
    """A text of the kind with at most ``size`` bytes; other numbers give other texts."""
    return (f"Text {number}\n\n" + TEXTS[kind] * (size // len(TEXTS[kind]) + 1))[:size]


def largest(kind: str) -> Outcome:
    """100 notes of 8 KiB, and the rest of 2 MiB spread over 100 findings."""
    rest = ANSWER_BYTES - MAX_NOTES * MAX_FIELD_BYTES
    field = min(MAX_FIELD_BYTES, rest // MAX_FINDINGS // 3)
    review = Review(
        summary=text(kind, field, 0),
        findings=tuple(_finding(kind, field, number) for number in range(MAX_FINDINGS)),
        notes=tuple(text(kind, MAX_FIELD_BYTES, number) for number in range(MAX_NOTES)),
    )
    return Outcome(conclusion=Conclusion.FINDINGS, exit_code=0, provider="offline", review=review)


def _finding(kind: str, field: int, number: int) -> Finding:
    lines = tuple(f"    value_{line} = call(argument, {line})" for line in range(7))
    return Finding(
        severity=Severity.HIGH,
        title="The value is wrong",
        explanation=text(kind, field, 3 * number + 1000),
        path=f"src/{number}.py",
        line=4,
        evidence=text(kind, field, 3 * number + 1001),
        recommendation=text(kind, field, 3 * number + 1002),
        in_diff=True,
        excerpt=Excerpt(start_line=1, lines=lines),
        edit=Edit(start_line=4, before=lines[:3], removed=lines[3:4], added=("    x = 1",), after=lines[4:]),
    )


def measure(kind: str) -> None:
    """Render every report once; prints name and seconds of each, then the peak before and after in MiB."""
    outcome = largest(kind)
    before = _peak()
    renderers: dict[str, Callable[[Outcome], str]] = {"json": lambda each: to_json(build(each))}
    renderers |= {each.name: each.render for each in FORMATS if each.file}
    for name, render in renderers.items():
        started = time.process_time()
        size = utf8_size(render(outcome))
        print(name, time.process_time() - started, size // KIB)
    print("peak", before, _peak())


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB


def main(runs: int) -> int:
    """The exit code."""
    exceeded = False
    for number, kind in enumerate(TEXTS):
        measured = [_run(kind) for _ in range(runs)]
        seconds = {name: statistics.median(run[name][0] for run in measured) for name in measured[0]}
        before, peak = seconds.pop("peak"), statistics.median(run["peak"][1] for run in measured)
        total = statistics.median(sum(run[name][0] for name in seconds) for run in measured)
        each = ", ".join(f"{name} {taken:.2f} s" for name, taken in seconds.items())
        print(f"{kind:10} {total:5.2f} s, {peak:.0f} MiB (before: {before:.0f} MiB): {each}")
        exceeded |= number < 2 and (total > MAX_SECONDS or peak > MAX_MIB)
    return int(exceeded)


def _run(kind: str) -> dict[str, tuple[float, float]]:
    command = [sys.executable, "-m", "benchmarks.reports", "--measure", kind]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = (line.split() for line in lines)
    return {name: (float(one), float(other)) for name, one, other in rows}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2])
    else:
        sys.exit(main(int((sys.argv[1:] or ["5"])[0])))
