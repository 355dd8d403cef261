"""The copied patterns are those of detect-secrets, which nothing imports at run time."""

import re
import subprocess
import sys
from importlib import import_module

import pytest
from tests.unit.masking.secret_samples import AWS

from pr_review.masking.secret_shapes import SHAPES

COPIED = [shape for shape in SHAPES if shape.plugin]


def without_flags(pattern):
    """The text of a compiled pattern without flags at its start, which ``flags`` repeats."""
    return re.sub(r"\A\(\?[a-z]+\)", "", pattern.pattern), pattern.flags


@pytest.mark.parametrize("shape", COPIED, ids=lambda shape: shape.plugin)
def test_the_copied_patterns_are_those_of_detect_secrets(shape):
    """If this fails after an update, copy the new patterns into the table and adapt the version there."""
    module, name = shape.plugin.split(".")
    plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
    ours = [without_flags(re.compile(pattern)) for pattern in shape.patterns]
    assert ours == [without_flags(pattern) for pattern in plugin.denylist]


def test_thirteen_plugins_are_copied():
    assert len(COPIED) == 13


def test_masking_imports_neither_detect_secrets_nor_requests():
    """Together they take longer to import than a short review takes to report."""
    code = (
        "import sys; from pr_review.masking.secrets import mask_secrets; print(mask_secrets(sys.argv[1]));"
        "print([name for name in ('detect_secrets', 'requests') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code, AWS], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["AKIA****", "[]", ""]
