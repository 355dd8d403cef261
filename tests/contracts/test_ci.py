"""`.ci/run` ends well only when the suite ran and passed; `make` is a stand-in here."""

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
    """Failures keep their status; a green run without a passed test is a failure."""
    make = tmp_path / "make"
    make.write_text(f"#!/bin/sh\n[ \"$1\" = test ] || exit 99\necho '{prints}'\nexit {status}\n")
    make.chmod(0o755)
    environ = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        [ROOT / ".ci/run"],
        env=environ,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (expected, last)
