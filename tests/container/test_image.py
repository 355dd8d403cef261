"""The image has pinned parts, the entrypoint that the runner needs, and nothing unnecessary."""

import re

import pytest
from tests.container.engine import PINNED_BASE, ROOT

MAX_BYTES = 300_000_000


@pytest.fixture(scope="module")
def config(engine, image):
    return engine.inspect(image)["Config"]


@pytest.fixture(scope="module")
def inside(engine, image):
    """Runs a Python program in the image and returns what it printed."""
    return lambda program: engine.python(image, program).strip()


def test_every_stage_stands_on_the_same_pinned_base():
    """Without a digest, the tested base could differ from the released one."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    stages = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    assert len(set(stages)) == 1
    assert PINNED_BASE.findall(text)


def test_entrypoint_is_absolute_and_no_shell(config):
    """A shell would drop variables with dashes in their names, and would receive the signals."""
    assert config["Entrypoint"] == ["/opt/pr-review/bin/python", "-I", "-B", "-m", "pr_review", "action"]
    assert not config.get("Cmd")


def test_user_is_the_one_the_runner_needs(config):
    """The user is root: the runner's files belong to another user, and GitHub forbids USER."""
    assert config.get("User", "") in {"", "0", "root"}


def test_labels_say_what_it_is(config):
    """The release workflow adds version, revision and source."""
    labels = {name.removeprefix("org.opencontainers.image."): text for name, text in config["Labels"].items()}
    assert labels["title"] == "pr-review"
    assert labels["licenses"] == "Apache-2.0"
    assert labels["description"]


def test_git_is_new_enough(inside):
    """The base's Debian has git 2.47 or later."""
    version = inside("import subprocess; print(subprocess.check_output(['git', '--version'], text=True))")
    assert tuple(map(int, re.findall(r"\d+", version)[:2])) >= (2, 47)


def test_git_fetches_over_http(inside):
    """Git's HTTPS helper starts, so the image still has all its libraries."""
    said = inside(
        "import subprocess\n"
        "git = ['git', 'ls-remote', 'https://127.0.0.1:9/x']\n"
        "print(subprocess.run(git, text=True, capture_output=True).stderr)"
    )
    assert "Could not connect" in said or "Failed to connect" in said


@pytest.mark.parametrize("tool", ["cc", "gcc", "make", "ruby", "node"])
def test_no_compiler_and_no_other_runtime(inside, tool):
    """The program needs none of them."""
    assert inside(f"import shutil; print(shutil.which({tool!r}))") == "None"


def test_only_the_locked_packages_are_installed(inside):
    """The lock file's packages for this platform, and this project."""
    installed = inside(
        "from importlib.metadata import distributions\n"
        "print(*(f'{d.name}=={d.version}'.lower().replace('_', '-') for d in distributions()))"
    ).split()
    locked = re.findall(r"^(\S+==[^\s;]+)", (ROOT / "requirements/runtime.txt").read_text(), re.MULTILINE)
    assert {name for name in installed if not name.startswith("pr-review==")} <= set(locked)
    assert any(name.startswith("pr-review==") for name in installed)


def test_every_module_is_compiled_ahead(inside):
    """The packages and their imports have byte code that is never compared with time stamps."""
    missing = inside(
        "import importlib.util, pathlib, sys, github, httpx, pydantic, pygments, pr_review.app.run\n"
        "cached = [m.__spec__.cached for m in list(sys.modules.values()) if getattr(m, '__spec__', None)]\n"
        "print(*(c for c in cached if c and (not pathlib.Path(c).exists()"
        " or int.from_bytes(pathlib.Path(c).read_bytes()[4:8], 'little') != 1)))"
    )
    assert missing == ""


def test_size_stays_bounded(sizes):
    """The limit is 300 MB unpacked; docs/image.md lists the parts."""
    assert sizes.total <= MAX_BYTES
