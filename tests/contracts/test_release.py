"""A release edits copies of the real files."""

import runpy
import shutil
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
RELEASE = runpy.run_path(str(ROOT / ".ci/release.py"))
SHA = "0123456789abcdef" * 2 + "01234567"
IMAGE = f"ghcr.io/acme/pr-review@sha256:{'ab' * 32}"


@pytest.fixture
def tree(tmp_path):
    """Copies of the files that a release reads and edits."""
    for name in ("action.yml", ".github/workflows/review.yml", "src/pr_review/__init__.py", "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def declared_version(tree):
    return (tree / "src/pr_review/__init__.py").read_text().split('__version__ = "')[1].split('"')[0]


def test_the_tag_s_action_runs_the_pushed_image(tree):
    """The image is named by digest, and nothing else changes."""
    before = yaml.safe_load((tree / "action.yml").read_text())
    RELEASE["pin_action"](tree, IMAGE)
    after = yaml.safe_load((tree / "action.yml").read_text())
    assert after.pop("runs") == {"using": "docker", "image": f"docker://{IMAGE}"}
    before.pop("runs")
    assert after == before


@pytest.mark.parametrize("image", ["ghcr.io/acme/pr-review:latest", f"{IMAGE}\n  x: y", "Dockerfile"])
def test_an_image_without_digest_is_refused(tree, image):
    """A tag can move."""
    with pytest.raises(SystemExit, match="digest"):
        RELEASE["pin_action"](tree, image)


def test_an_action_is_pinned_once(tree):
    """A second run is an error, not a silent no-op."""
    RELEASE["pin_action"](tree, IMAGE)
    with pytest.raises(SystemExit, match="found 0"):
        RELEASE["pin_action"](tree, IMAGE)


def test_the_tag_s_workflow_names_the_action_s_commit(tree):
    """It has owner, commit and version. A later release can pin it again."""
    for tag in ("v1.2.3", "v1.3.0"):
        RELEASE["pin_workflow"](tree, "acme/pr-review", SHA, tag)
        text = (tree / ".github/workflows/review.yml").read_text()
        assert f"uses: acme/pr-review@{SHA} # {tag}\n" in text
    assert "OWNER/" not in text


@pytest.mark.parametrize(
    "arguments",
    [("acme/other", SHA, "v1.0.0"), ("acme/pr-review", "main", "v1.0.0"), ("acme/pr-review", SHA, "v1")],
)
def test_a_workflow_is_pinned_to_a_commit_and_version_only(tree, arguments):
    """Branches and moving tags are refused."""
    with pytest.raises(SystemExit):
        RELEASE["pin_workflow"](tree, *arguments)


def test_version_package_and_changelog_must_agree(tree):
    """A difference in any of them fails the check."""
    version = declared_version(tree)
    changelog = tree / "CHANGELOG.md"
    unreleased = "# Changelog\n\n## [Unreleased]\n\n- soon\n\n"
    changelog.write_text(
        f"{unreleased}## [{version}] - 2026-12-01\n\n- First.\n\n## [0.0.1] - 2026-11-01\n\n- Old.\n"
    )
    RELEASE["check"](tree, version)
    assert RELEASE["notes"](tree, version) == "- First.\n"
    with pytest.raises(SystemExit, match=r"does not say 9\.9\.9"):
        RELEASE["check"](tree, "9.9.9")
    for text in (unreleased, f"## [{version}]\n- no date\n", "## [9.9.9] - 2026-12-01\n- x\n"):
        changelog.write_text(text)
        with pytest.raises(SystemExit, match="newest entry"):
            RELEASE["check"](tree, version)
