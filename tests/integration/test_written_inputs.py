"""Lists and configuration files as people write them, in whole runs."""

import pytest

from pr_review.domain.run import Conclusion
from pr_review.errors import EXIT_CONFIG, EXIT_OK

BASE = {"a.py": "one = 1\n", "b.md": "b\n", "docs/c.md": "c\n"}
HEAD = {"a.py": "one = nowhere\n", "b.md": "bb\n", "docs/c.md": "cc\n"}


@pytest.fixture
def repo(make_repo):
    return make_repo(BASE, HEAD)


def reviewed_paths(outcome):
    return {file.path for file in outcome.coverage.files if file.status == "reviewed"}


@pytest.mark.parametrize(
    ("inputs", "paths"),
    [
        ({"exclude": "b.md; ./docs/"}, {"a.py"}),
        ({"exclude": "- '*.{md,rst}'\n- \"!b.md\""}, {"a.py", "b.md"}),
        ({"include": '["*.py"]'}, {"a.py"}),
        ({"include": "[*.py, ./b.md]"}, {"a.py", "b.md"}),
        ({"include": ".", "exclude": "`docs`"}, {"a.py", "b.md"}),
    ],
)
def test_patterns_mean_what_they_say(repo, review_repo, inputs, paths):
    outcome = review_repo(repo, provider="offline", **inputs).outcome
    assert reviewed_paths(outcome) == paths


def test_a_pattern_without_effect_is_named(repo, review_repo):
    outcome = review_repo(repo, provider="offline", exclude="*.md,private/").outcome
    assert outcome.notes == ("`exclude` has patterns that match no changed file: private/.",)


def test_an_include_that_selects_nothing_says_so(repo, review_repo):
    outcome = review_repo(repo, provider="offline", include="*.ts,*.tsx").outcome
    assert (outcome.conclusion, outcome.exit_code) == (Conclusion.SKIPPED, EXIT_OK)
    assert outcome.error.code == "nothing_included"
    assert "match no changed file" in outcome.error.detail
    assert outcome.notes == ("`include` has patterns that match no changed file: *.ts, *.tsx.",)


def configured(repo, files):
    repo.git("checkout", "-q", "main")
    repo.commit(files)
    repo.git("checkout", "-q", "topic")
    return repo


def test_the_other_ending_of_yaml_is_read_and_named(repo, review_repo):
    configured(repo, {".github/pr-review.yaml": "fail-on: low\n"})
    assert review_repo(repo, provider="offline").outcome.exit_code == 1
    configured(repo, {".github/pr-review.yaml": "max-round: 1\n"})
    error = review_repo(repo, provider="offline").outcome.error
    assert ".github/pr-review.yaml, line 1" in error.detail
    assert ".github/pr-review.yaml" in error.advice


def test_two_configurations_are_refused(repo, review_repo):
    configured(repo, {".github/pr-review.yaml": "", ".github/pr-review.yml": ""})
    outcome = review_repo(repo, provider="offline").outcome
    assert (outcome.error.code, outcome.exit_code) == ("invalid_config_file", EXIT_CONFIG)


def test_a_near_name_is_noted_from_the_base_only(repo, review_repo):
    repo.commit({".pr-review.yml": "fail-on: low\n"})
    assert review_repo(repo, provider="offline").outcome.notes == ()
    configured(repo, {"pr_review.yml": "fail-on: low\n"})
    outcome = review_repo(repo, provider="offline").outcome
    assert outcome.exit_code == EXIT_OK
    assert [note for note in outcome.notes if note.startswith("pr_review.yml is not read")]


def test_a_configuration_behind_a_link_is_read(repo, review_repo):
    """A link is no reason to pass over a gate."""
    repo.git("checkout", "-q", "main")
    (repo.path / ".github").symlink_to("settings")
    configured(repo, {"settings/pr-review.yml": "fail-on: low\n"})
    assert review_repo(repo, provider="offline").outcome.exit_code == 1


def test_a_configuration_that_leads_nowhere_is_an_error(repo, review_repo):
    repo.git("checkout", "-q", "main")
    (repo.path / ".github").mkdir()
    (repo.path / ".github/pr-review.yml").symlink_to("nowhere.yml")
    configured(repo, {})
    assert review_repo(repo, provider="offline").outcome.error.code == "unreadable_base_file"
