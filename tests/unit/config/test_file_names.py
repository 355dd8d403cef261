"""The names of the configuration file."""

import pytest

from pr_review.config.file_names import CONFIG_PATHS, MAX_SHOWN, find_config
from pr_review.errors import ConfigError


@pytest.mark.parametrize("path", CONFIG_PATHS)
def test_both_endings_of_yaml_are_read(path):
    assert find_config(["a.py", path, "z.py"]) == (path, ())


def test_two_files_are_refused():
    """A gate in the one that is passed over would be gone without a word."""
    with pytest.raises(ConfigError, match=r"pr-review\.yml and \.github/pr-review\.yaml") as caught:
        find_config(CONFIG_PATHS)
    assert caught.value.code == "invalid_config_file"


@pytest.mark.parametrize(
    "path",
    [
        ".github/PR-Review.YML",
        ".GitHub/pr-review.yml",
        "github/pr-review.yml",
        ".config/pr-review.yml",
        "pr-review.yaml",
        ".pr-review.yaml",
        "PR_REVIEW.yml",
        ".github/prreview.yml",
        ".github/pr.review.yml",
        ".github/pr-reviewer.yml",
        ".github/.pr-review.yml",
        ".github/pr-review.json",
        ".github/pr-review.toml",
        ".github/pr-review-config.yml",
        ".github/pr-review/config.yml",
        ".github/pr-review.yml.txt",
        ".github/pr-review",
        ".pr-reviewrc",
        ".pr-review",
    ],
)
def test_a_name_that_looks_like_it_is_noted(path):
    found = find_config(["a.py", path])
    assert found.path is None
    assert found.notes == (
        f"{path} is not read as configuration; only .github/pr-review.yml is. Rename or merge it.",
    )


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/pr-review.yml",
        ".github/workflows/pr-review.yaml",
        "docs/pr-review.yml",
        "src/pr_review/config.yml",
        "pr-review/__init__.py",
        "pr-review",
        "pr-review.md",
        ".github/pr-preview.yml",
        ".github/pr-review.yml.bak",
        ".github/pr-review-prompt.md",
        "pr-review.yml/a.py",
    ],
)
def test_other_files_are_left_alone(path):
    assert find_config([path]) == (None, ())


def test_near_names_stand_beside_the_file_and_are_bounded():
    near = [f".{'github' if n % 2 else 'GitHub'}/pr-review.json{'5c'[n % 2]}" for n in range(2)]
    found = find_config([*near, "pr-review.yml", *(f"pr{c}review.toml" for c in "-_. "), CONFIG_PATHS[0]])
    assert found.path == CONFIG_PATHS[0]
    assert len(found.notes) == MAX_SHOWN
