# noqa: INP001 -- a script of the workflow, not a module
"""Checks and edits files for a release; `.github/workflows/release.yml` calls this script.

- `release.py check VERSION`: fail unless the package and the newest changelog entry have this version
- `release.py notes VERSION`: print that changelog entry
- `release.py pin-action IMAGE`: make action.yml run a built image instead of building one
- `release.py pin-workflow REPOSITORY SHA TAG`: make review.yml name the commit that holds that action.yml
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ACTION = Path("action.yml")
WORKFLOW = Path(".github/workflows/review.yml")
PACKAGE = Path("src/pr_review/__init__.py")
CHANGELOG = Path("CHANGELOG.md")

BUILT_IMAGE = re.compile(r"^  image: Dockerfile$", re.MULTILINE)
IMAGE = re.compile(r"[a-z0-9.-]+(?:/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}")
ACTION_USE = re.compile(r"^(\s+uses: )[\w.-]+/pr-review@[0-9a-f]{40} # v[\d.]+$", re.MULTILINE)


def check(root: Path, version: str) -> None:
    """Fail unless the package and the changelog have the version, and the changelog has its date."""
    declared = re.search(r'^__version__ = "([^"]+)"$', (root / PACKAGE).read_text(), re.MULTILINE)
    if not declared or declared[1] != version:
        raise SystemExit(f"{PACKAGE} does not say {version}")
    notes(root, version)


def notes(root: Path, version: str) -> str:
    """Return the newest changelog entry; fail unless it belongs to the version."""
    entries = re.split(r"^## ", (root / CHANGELOG).read_text(), flags=re.MULTILINE)[1:]
    released = [entry for entry in entries if not entry.startswith("[Unreleased]")]
    if not released or not re.match(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n", released[0]):
        raise SystemExit(f"{CHANGELOG}: the newest entry is not `## [{version}] - YYYY-MM-DD`")
    return released[0].partition("\n")[2].strip() + "\n"


def pin_action(root: Path, image: str) -> None:
    """Make action.yml run the image, named by digest."""
    if not IMAGE.fullmatch(image):
        raise SystemExit("the image must be named by its digest")
    _replace_once(root / ACTION, BUILT_IMAGE, f"  image: docker://{image}")


def pin_workflow(root: Path, repository: str, sha: str, tag: str) -> None:
    """Make the reusable workflow run this repository's action at a commit."""
    if not re.fullmatch(r"[\w.-]+/pr-review [0-9a-f]{40} v\d+\.\d+\.\d+", f"{repository} {sha} {tag}"):
        raise SystemExit("expected OWNER/pr-review, a 40-digit commit and a version tag")
    _replace_once(root / WORKFLOW, ACTION_USE, rf"\g<1>{repository}@{sha} # {tag}")


def _replace_once(path: Path, pattern: re.Pattern[str], replacement: str) -> None:
    text, count = pattern.subn(replacement, path.read_text())
    if count != 1:
        raise SystemExit(f"{path.name}: expected one line to pin, found {count}")
    path.write_text(text)


def main(argv: list[str]) -> None:
    """Run one of the commands above in the repository that holds this file."""
    match argv:
        case ["check", version]:
            check(ROOT, version)
        case ["notes", version]:
            sys.stdout.write(notes(ROOT, version))
        case ["pin-action", image]:
            pin_action(ROOT, image)
        case ["pin-workflow", repository, sha, tag]:
            pin_workflow(ROOT, repository, sha, tag)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
