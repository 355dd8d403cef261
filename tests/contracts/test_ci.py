"""`.ci/run` succeeds only when the suite ran and passed. A script takes the place of `make` here."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("prints", "status", "expected", "last"),
    [
        ("=== 12 passed, 1 skipped in 3.21s ===", 0, 0, "ci: === 12 passed, 1 skipped in 3.21s ==="),
        ("7 passed in 1s", 0, 0, "ci: 7 passed in 1s"),
        ("=== 1 failed, 11 passed in 3.21s ===", 2, 2, "=== 1 failed, 11 passed in 3.21s ==="),
        ("=== no tests ran in 0.01s ===", 5, 5, "=== no tests ran in 0.01s ==="),
        ("nothing was asked of pytest", 0, 1, "ci: no test ran"),
        ("0 passed", 0, 1, "ci: no test ran"),
    ],
)
def test_the_closing_line_decides(tmp_path, prints, status, expected, last):
    """Failures keep their exit status. A green run without a passed test is a failure."""
    make = tmp_path / "make"
    done = run_ci(make, f"test) echo '{prints}'; exit {status};; container-test) exit 0;;")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (expected, last)


def test_failing_container_tests_fail_the_run(tmp_path):
    done = run_ci(tmp_path / "make", "test) echo '7 passed in 1s';; container-test) exit 2;;")
    assert done.returncode == 2


def run_ci(make, cases):
    """Run `.ci/run` with a ``make`` whose targets are the given cases of a shell ``case``."""
    make.write_text(f'#!/bin/sh\ncase "$1" in {cases} *) exit 99;; esac\n')
    make.chmod(0o755)
    return subprocess.run(
        [ROOT / ".ci/run"],
        env=os.environ | {"PATH": f"{make.parent}:{os.environ['PATH']}"},
        cwd=make.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
