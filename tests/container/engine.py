"""A container engine: Docker if it runs, otherwise podman.

Podman gets its own storage and settings. So the machine's own images stay untouched, and a container starts
without systemd, without user sessions and with either kind of cgroups. If the Dockerfile's base image cannot
be pulled, a substitute is built from Debian's packages. It has the same Debian release and Python minor
version, and like the official image it has no byte code of the standard library.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TAG = "localhost/pr-review:test"
STATE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pr-review-container"

PODMAN_TOOLS = ("podman", "runc", "conmon")  # runc: crun of Debian 12 refuses hybrid cgroups
BASE_TOOLS = ("mmdebstrap",)
PINNED_BASE = re.compile(r"^FROM (\S+-(\w+)@sha256:[0-9a-f]{64})", re.MULTILINE)
OUTPUT_SHOWN = 4000
STAND_IN_PACKAGES = ("ca-certificates", "python3", "python3-pip", "python3-venv")
# The machine's certificate authorities and pip settings, so that pip and git work inside the substitute.
NETWORK_FILES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf")


class UnavailableError(Exception):
    """No image can be built or run here; the message is the reason."""


class EngineError(Exception):
    """A program failed; the message holds the end of its output."""


@dataclass(frozen=True)
class Engine:
    """A program with Docker's command line; ``bases`` maps pinned base images to local substitutes."""

    program: str
    environ: Mapping[str, str] = field(default_factory=dict)
    bases: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.program}, stand-in base" if self.bases else self.program

    def command(self, *arguments: str) -> list[str]:
        """The argument list of one call; it runs under ``environ``, added to the process's own."""
        return [self.program, *arguments]

    def run(self, *arguments: str) -> str:
        """Standard output of one call; an error holds the engine's output."""
        return _run(self.command(*arguments), self.environ)

    def build(self, context: Path, tag: str) -> None:
        """Build ``context``'s Dockerfile as the runner does."""
        stand_ins = [f"--build-context={base}=container-image://{name}" for base, name in self.bases.items()]
        pull = ["--pull=never", *stand_ins] if stand_ins else []
        self.run("build", *pull, "--tag", tag, "--file", str(context / "Dockerfile"), str(context))
        if self.program == "podman":  # this storage has no other user, so remove what older builds left
            self.run("image", "prune", "--force", "--filter", "until=24h")

    def inspect(self, tag: str) -> dict[str, Any]:
        """The image's configuration, as the engine records it."""
        described: dict[str, Any] = json.loads(self.run("image", "inspect", tag))[0]
        return described

    def python(self, tag: str, program: str) -> str:
        """Output of a Python program run inside the image, without a network."""
        entrypoint = ("--entrypoint", "/opt/pr-review/bin/python")
        return self.run("run", "--rm", "--network", "none", *entrypoint, tag, "-I", "-B", "-c", program)


def find_engine(dockerfile: Path) -> Engine:
    """The engine that can build ``dockerfile`` here; raises ``UnavailableError`` when none can."""
    if shutil.which("docker") and _succeeds(["docker", "info"]):
        return Engine("docker")
    _install(PODMAN_TOOLS)
    podman = Engine("podman", _configure_podman(STATE))
    podman = replace(podman, bases=_provide_bases(podman, dockerfile))
    _check_that_containers_run(podman, dockerfile)
    return podman


def _install(tools: Sequence[str]) -> None:
    """Install Debian's packages for the missing ``tools``; only root on Debian can do this."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    if not missing:
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise UnavailableError(f"Docker does not answer, and there is no {', '.join(missing)}")
    environ = {"DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-qq", "--yes", "--no-install-recommends", *missing]
    if not (_succeeds(["apt-get", "update", "-qq"]) and _succeeds(install, environ)):
        raise UnavailableError(f"Docker does not answer, and apt-get could not install {', '.join(missing)}")


def _configure_podman(state: Path) -> dict[str, str]:
    """Settings under ``state``: no systemd, no privileges beyond root's, the host's network by default."""
    state.mkdir(parents=True, exist_ok=True)
    settings = {
        "containers.conf": """\
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
netns = "host"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
""",
        "storage.conf": f"""\
[storage]
driver = "overlay"
graphroot = "{state / "storage"}"
runroot = "{state / "run"}"
""",
    }
    for name, text in settings.items():
        (state / name).write_text(text, encoding="utf-8")
    return {
        "CONTAINERS_CONF": str(state / "containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(state / "storage.conf"),
    }


def _provide_bases(podman: Engine, dockerfile: Path) -> dict[str, str]:
    """Substitutes for the base images that are not present and cannot be pulled."""
    pinned = dict(PINNED_BASE.findall(dockerfile.read_text(encoding="utf-8")))
    return {
        base: _stand_in(podman, suite)
        for base, suite in pinned.items()
        if not _succeeds(podman.command("image", "exists", base), podman.environ)
        and not _succeeds(podman.command("pull", "--quiet", base), podman.environ)
    }


def _check_that_containers_run(podman: Engine, dockerfile: Path) -> None:
    """A sandbox may forbid what a container needs; podman's output is the reason."""
    base = PINNED_BASE.findall(dockerfile.read_text(encoding="utf-8"))[0][0]
    try:
        podman.run("run", "--rm", "--network", "none", podman.bases.get(base, base), "true")
    except EngineError as error:
        raise UnavailableError(
            f"Docker does not answer, and podman cannot run a container: {error}"
        ) from error


def _stand_in(podman: Engine, suite: str) -> str:
    """A local image of Debian's ``suite`` with Debian's Python; it is built once."""
    archive = STATE / f"{suite}.tar"
    hooks = [f'cp {path} "$1{path}"' for path in NETWORK_FILES if Path(path).exists()]
    hooks.append('find "$1/usr/lib" -name __pycache__ -prune -exec rm -rf {} +')
    command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(STAND_IN_PACKAGES)}"]
    command += [f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in ("doc", "man", "locale")]
    command += [*(f"--customize-hook={hook}" for hook in hooks), suite, str(archive)]
    name = f"localhost/stand-in:{suite}-{hashlib.sha256(repr(command).encode()).hexdigest()[:12]}"
    if _succeeds(podman.command("image", "exists", name), podman.environ):
        return name
    _install(BASE_TOOLS)
    try:
        _run(command, {})
        podman.run("import", "--quiet", "--change", 'CMD ["python3"]', str(archive), name)
    except EngineError as error:
        raise UnavailableError(
            f"the base image cannot be pulled, nor made of Debian's packages: {error}"
        ) from error
    finally:
        archive.unlink(missing_ok=True)
    return name


def _succeeds(command: Sequence[str], environ: Mapping[str, str] | None = None) -> bool:
    done = subprocess.run(command, env=os.environ | dict(environ or {}), check=False, capture_output=True)
    return done.returncode == 0


def _run(command: Sequence[str], environ: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, env=os.environ | dict(environ), check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise EngineError(
            f"{' '.join(command[:2])} ended with {done.returncode}:\n{done.stderr[-OUTPUT_SHOWN:]}"
        )
    return done.stdout
