"""The wheel that the image installs holds every file of the package, and nothing else."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "pr_review"


def wheel_members(folder):
    """Build the wheel as the Dockerfile does, without a network, and return the names in it."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def package_files():
    """The files of the source tree, as names in the wheel; byte code is no source."""
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(PACKAGE.parent).as_posix() for path in files}


def test_wheel_holds_the_whole_package(tmp_path):
    """Templates, the style sheet and the minimal report are data, so an import would not miss them."""
    packaged = {name for name in wheel_members(tmp_path) if ".dist-info/" not in name}
    assert packaged == package_files()
