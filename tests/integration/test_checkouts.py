"""Twelve ways to check out one pull request: the same findings, and the workspace left as it was."""

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.loopback.upstream import NUMBER, TOKEN, Upstream, run_git

PAGE = Path(__file__).parents[2] / "docs" / "checkouts.md"
ROW = re.compile(r"^\| (\d+) \| .+ \| (\d) \|$", re.MULTILINE)
OTHER_UID = 1001


class Checkout(NamedTuple):
    """A row of the page; ``lay`` makes the checkout, which the event and the ``path`` input go with."""

    row: int
    variant: str
    lay: Callable[[Upstream, Path], None]
    event: str = "pull_request"
    path: str = "."

    @property
    def name(self) -> str:
        return f"{self.row}-{self.variant}"


def head_only(upstream: Upstream, path: Path) -> None:
    upstream.check_out(path, upstream.head)


def partial(upstream: Upstream, path: Path) -> None:
    upstream.check_out(path, depth=0, fetch=["--filter=blob:none"])


def sparse(upstream: Upstream, path: Path) -> None:
    """`sparse-checkout: src`; checkout then asks for a partial clone, too."""
    cone = ["sparse-checkout", "set", "src"]
    upstream.check_out(path, fetch=["--filter=blob:none"], before=[cone])
    assert not (path / "tools").exists()


def submodules(upstream: Upstream, path: Path) -> None:
    upstream.check_out(path)
    header = f"http.{upstream.server.url}/.extraheader=AUTHORIZATION: {upstream.server.authorization()}"
    run_git(path, "-c", header, "submodule", "--quiet", "update", "--init", "--depth=1")
    assert (path / "lib" / "lib.py").is_file()


def lfs_pulled(upstream: Upstream, path: Path) -> None:
    """`lfs: true`: the working tree holds what the pointers stand for."""
    smudge = ["config", "filter.lfs.smudge", "sh -c 'cat > /dev/null; printf content'"]
    upstream.check_out(path, before=[smudge])
    assert (path / "assets/model.bin").read_text() == "content"


def credentials_included(upstream: Upstream, path: Path) -> None:
    """As checkout v6 and later keeps them: in a file of the runner's, included by the configuration."""
    upstream.check_out(path)
    key = f"http.{upstream.server.url}/.extraheader"
    value = run_git(path, "config", key)
    run_git(path, "config", "--unset-all", key)
    file = path.parent / "git-credentials.config"
    run_git(path, "config", "--file", str(file), key, value)
    run_git(path, "config", f"includeIf.gitdir:{path}/.git.path", str(file))


def credentials_removed(upstream: Upstream, path: Path) -> None:
    upstream.check_out(path)
    run_git(path, "config", "--unset-all", f"http.{upstream.server.url}/.extraheader")


def owned_by_another(upstream: Upstream, path: Path) -> None:
    """As in a container: the process is root, the runner's user is not."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a workspace to another user")
    upstream.check_out(path)
    for file in (path, *path.rglob("*")):
        os.chown(file, OTHER_UID, OTHER_UID, follow_symlinks=False)


CHECKOUTS = (
    Checkout(1, "merge-ref", Upstream.check_out),
    Checkout(2, "head-ref", head_only),
    Checkout(3, "whole", lambda upstream, path: upstream.check_out(path, depth=0)),
    Checkout(4, "depth-2", lambda upstream, path: upstream.check_out(path, depth=2)),
    Checkout(5, "partial", partial),
    Checkout(6, "sparse", sparse),
    Checkout(7, "submodules", submodules),
    Checkout(8, "lfs-pointers", Upstream.check_out),
    Checkout(8, "lfs-pulled", lfs_pulled),
    Checkout(9, "path", Upstream.check_out, path="checkouts/demo"),
    Checkout(
        10, "dispatch", lambda upstream, path: upstream.check_out(path, upstream.base), "workflow_dispatch"
    ),
    Checkout(11, "persisted", Upstream.check_out),
    Checkout(11, "included", credentials_included),
    Checkout(11, "removed", credentials_removed),
    Checkout(12, "another-uid", owned_by_another),
)


@pytest.fixture
def review_checkout(upstream, remote_box):
    """Lay a checkout and review it, offline, as a step after it would."""

    def review(checkout: Checkout):
        event = {"inputs": {"pull-request": str(NUMBER)}} if checkout.event == "workflow_dispatch" else None
        box = remote_box(event, name=checkout.event)
        checkout.lay(upstream, box.workspace / checkout.path)
        upstream.server.forget()
        before = fingerprint(box.workspace)
        result = box.run(provider="offline", path=checkout.path)
        assert fingerprint(box.workspace) == before
        assert list((box.root / "scratch").iterdir()) == []
        return result

    return review


def fingerprint(folder: Path) -> dict[str, tuple[object, ...]]:
    """Mode, owner, time of change and content of everything, .git included and the report folder aside."""
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if not name.startswith("pr-review-report"):
            info = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
            found[name] = (info.st_mode, info.st_uid, info.st_gid, info.st_mtime_ns, content)
    return found


def said(report) -> bytes:
    """What is reported of the change."""
    names = (
        "pull_request",
        "merge_base_sha",
        "summary",
        "findings",
        "notes",
        "coverage",
        "conclusion",
        "error",
    )
    return json.dumps({name: report[name] for name in names}).encode()


@pytest.fixture(scope="module")
def first_said() -> dict[str, bytes]:
    """What the first review of this module said."""
    return {}


@pytest.mark.parametrize("checkout", CHECKOUTS, ids=[checkout.name for checkout in CHECKOUTS])
def test_every_checkout_gives_the_same_review(checkout, review_checkout, upstream, first_said):
    result = review_checkout(checkout)
    assert result.code == 0, result.log
    report = result.artifact
    assert [(found["path"], found["line"]) for found in report["findings"]] == [
        ("tools/new.py", 31),
        ("src/app.py", 4),
    ]
    assert report["merge_base_sha"] == upstream.merge_base
    assert said(report) == first_said.setdefault("review", said(report))
    assert upstream.server.fetches == documented()[checkout.row]


def documented() -> dict[int, int]:
    """Number of each row of the page → how often the action fetches."""
    return {int(row): int(fetches) for row, fetches in ROW.findall(PAGE.read_text(encoding="utf-8"))}


def test_the_page_lists_these_checkouts_and_no_other():
    assert list(documented()) == list(dict.fromkeys(checkout.row for checkout in CHECKOUTS))


def test_reports_belong_to_the_owner_of_the_workspace(review_checkout):
    """The container is root; a later step is the runner's user, and reads or removes them."""
    result = review_checkout(CHECKOUTS[-1])
    folder = result.workspace / "pr-review-report"
    assert {(path.stat().st_uid, path.stat().st_gid) for path in (folder, *folder.iterdir())} == {
        (OTHER_UID, OTHER_UID)
    }


def processes() -> bytes:
    """The arguments of every process of this machine, as anyone on it can read them."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            lines.append(path.read_bytes())
    return b"\n".join(lines)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks at processes through /proc")
def test_the_token_reaches_the_server_but_no_argument_and_no_file(upstream, review_checkout, tmp_path):
    """Looked for while git talks to the server: its processes live then, and the object store exists."""
    server = upstream.server
    secrets = (TOKEN.encode(), server.authorization().split()[1].encode())
    scratch = tmp_path / "runner" / "scratch"
    looks = []

    def look():
        if scratch.exists() and any(scratch.iterdir()):
            files = [path.read_bytes() for path in scratch.rglob("*") if path.is_file()]
            arguments = processes()
            clear = not any(secret in text for secret in secrets for text in (arguments, *files))
            looks.append((b"fetch" in arguments, len(files) > 0, clear))

    server.watch = look
    try:
        review_checkout(CHECKOUTS[0])
    finally:
        server.watch = lambda: None
    assert set(looks) == {(True, True, True)}
    assert server.authorizations == {server.authorization()}


def test_a_server_that_is_down_is_said_with_the_lines_to_add(upstream, remote_box):
    box = remote_box()
    upstream.check_out(box.workspace)
    box.environ["GITHUB_SERVER_URL"] = "http://127.0.0.1:9"
    result = box.run(provider="offline")
    assert (result.code, result.artifact["error"]["code"]) == (3, "fetch_unreachable")
    assert "fetch-depth: 0" in result.artifact["error"]["advice"]
    assert TOKEN not in result.log.removeprefix(f"::add-mask::{TOKEN}")
