"""Records what the whole program does: ``python -m tests.recorded_runs.record OUT [NAME...]``.

Each scenario gets a folder with all that can be observed of its run, what differs from run to run taken out.
``tests.recorded_runs.compare`` compares two recordings. The program is only ever started as a process, so its
packages may change between the two.
"""

import argparse
import fnmatch
import json
import os
import shutil
import stat
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.conftest import Request
from tests.recorded_runs.normalise import normalise
from tests.recorded_runs.scenario import Scenario
from tests.recorded_runs.scenarios import SCENARIOS
from tests.recorded_runs.world import Ended, World, build_world, run_program

AT_ONCE = 2
UNRECORDED_HEADERS = frozenset({"host"})
UNRECORDED_FOLDERS = ("bin/", "server/")  # ours, not the program's
State = Mapping[str, tuple[int, bytes]]


@dataclass(frozen=True)
class Recorded:
    """What a line of progress says of a run."""

    name: str
    code: int
    conclusion: str
    seconds: float


def record(scenario: Scenario, out: Path, python: str) -> Recorded:
    """Run the scenario and write its folder below ``out``."""
    started = time.monotonic()
    with build_world(scenario) as world:
        before = _state(world.root)
        ended = run_program(world, scenario, python)
        files = _observe(world, ended, before, _state(world.root))
        places = _places(world)
    folder = out / scenario.name
    shutil.rmtree(folder, ignore_errors=True)
    conclusion = ""
    for name, data in files.items():
        text = normalise(data.decode(errors="backslashreplace"), places, timed=scenario.timed)
        path = folder / normalise(name, places, timed=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        if path.name == "review.json":
            conclusion = _conclusion(text) or conclusion
    return Recorded(scenario.name, ended.code, conclusion, time.monotonic() - started)


def _conclusion(report: str) -> str:
    """With the code of the error, if there is one."""
    decoded = json.loads(report)
    error = decoded.get("error") or {}
    return " ".join(filter(None, (decoded.get("conclusion"), error.get("code"))))


def _places(world: World) -> dict[str, str]:
    """What stands for a place of this run, and the word in its stead."""
    servers = {"{model}": world.model.base_url, "{closed}": world.closed}
    servers |= {"{git}": world.git.url} if world.git else {}
    servers |= {"{github}": world.api.server.base_url} if world.api else {}
    addresses = {url.partition("//")[2]: word for word, url in servers.items()}
    return {str(world.root): "{root}", **addresses}


def _state(root: Path) -> State:
    """Mode and content of everything below a folder; a folder has no content, a link its target."""
    found: dict[str, tuple[int, bytes]] = {}
    for folder, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = Path(folder, name)
            mode = path.lstat().st_mode
            found[str(path.relative_to(root))] = (mode, _content(path, mode))
    return {name: kept for name, kept in found.items() if not f"{name}/".startswith(UNRECORDED_FOLDERS)}


def _content(path: Path, mode: int) -> bytes:
    if stat.S_ISLNK(mode):
        return str(path.readlink()).encode()
    return path.read_bytes() if stat.S_ISREG(mode) else b""


def _observe(world: World, ended: Ended, before: State, after: State) -> dict[str, bytes]:
    """Everything observable of a run, by file name; empty channels are left out."""
    changed = {name: kept for name, kept in after.items() if before.get(name) != kept}
    files = {
        "exit_code": f"{ended.code}\n".encode(),
        "stdout": ended.stdout,
        "stderr": ended.stderr,
        "changes": _changes(before, after).encode(),
        "model_requests.json": _dumps([_request(each) for each in world.model.requests]),
        "github_requests": _github_requests(world).encode(),
    }
    for name, (mode, data) in changed.items():
        if stat.S_ISREG(mode):
            files[name.removeprefix("commands/").removeprefix("workspace/").removeprefix("cwd/")] = data
    return {name: data for name, data in files.items() if data}


def _changes(before: State, after: State) -> str:
    """One line for each file or folder that the run made, changed or removed."""
    lines = []
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name) and name != "moment":
            sign = "-" if name not in after else "~" if name in before else "+"
            mode = stat.filemode(after.get(name, before.get(name, (0, b"")))[0])
            lines.append(f"{sign} {mode} {name}\n")
    return "".join(lines)


def _request(request: Request) -> dict[str, Any]:
    headers = {
        name: value for name, value in sorted(request.headers.items()) if name not in UNRECORDED_HEADERS
    }
    return {
        "method": request.method,
        "path": request.path,
        "headers": headers,
        "body": _unfold(json.loads(request.body)),
    }


def _unfold(value: Any) -> Any:
    """Texts of several lines as lists of lines, which can be read and compared."""
    if isinstance(value, dict):
        return {key: _unfold(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_unfold(item) for item in value]
    if isinstance(value, str) and "\n" in value:
        return value.split("\n")
    return value


def _dumps(requests: Sequence[Mapping[str, Any]]) -> bytes:
    return f"{json.dumps(requests, indent=1, ensure_ascii=False)}\n".encode() if requests else b""


def _github_requests(world: World) -> str:
    """What GitHub's API was asked, whether with a token, and how often git fetched."""
    requests = world.api.server.requests if world.api else []
    lines = [
        f"{each.method} {each.path} {'with' if 'authorization' in each.headers else 'without'} token\n"
        for each in requests
    ]
    return "".join([*lines, f"git: {world.git.fetches} conversations\n"] if world.git else lines)


def choose(names: Sequence[str]) -> list[Scenario]:
    """The scenarios of these names or shell patterns, else all; those that wait for real come first."""
    known = {scenario.name: scenario for scenario in SCENARIOS}
    if unknown := [name for name in names if not fnmatch.filter(known, name)]:
        sys.exit(f"no such scenario: {', '.join(unknown)}")
    chosen = {name: known[name] for pattern in names or ["*"] for name in fnmatch.filter(known, pattern)}
    return sorted(chosen.values(), key=lambda scenario: not scenario.slow)


def main() -> None:
    """Record, with one line for each scenario."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--python", default=sys.executable, help="interpreter that has pr_review (default: this one)"
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for the recording")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="scenarios or patterns such as 'error-*'; all by default"
    )
    options = parser.parse_args()
    started = time.monotonic()
    chosen = choose(options.names)
    # Absolute, but not resolved: the interpreter of a virtual environment is a link.
    work = partial(record, out=options.out.resolve(), python=str(Path(options.python).absolute()))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for done in pool.map(work, chosen):
            print(f"{done.code:>4} {done.seconds:5.1f} s  {done.name:<44} {done.conclusion}", flush=True)
    print(f"{len(chosen)} scenarios in {time.monotonic() - started:.0f} s: {options.out}")


if __name__ == "__main__":
    main()
