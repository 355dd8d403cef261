"""The table of formats: every line of it renders, and importing it imports no format."""

import subprocess
import sys

import pytest

from pr_review.report.formats import FILES, FORMATS


@pytest.mark.parametrize("each", FORMATS, ids=[each.name for each in FORMATS])
def test_every_format_renders(outcomes, each):
    assert isinstance(each.render(outcomes.rich), str)


def test_names_and_files_are_unique():
    assert len({each.name for each in FORMATS}) == len(FORMATS)
    assert len(set(FILES)) == len(FILES)


def test_the_table_needs_the_standard_library_only():
    """Signal handlers use it while other modules are still being imported."""
    code = (
        "import sys, pr_review.report.formats;"
        "heavy = ('pydantic', 'pygments', 'pr_review.report.');"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['pr_review.report.formats']"
