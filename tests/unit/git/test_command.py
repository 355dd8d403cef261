import os
import signal
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.errors import ConfigError, RepositoryError, TerminationReason
from pr_review.git.command import (
    ENVIRONMENT,
    INHERITED,
    SETTINGS,
    SUBCOMMANDS,
    Git,
    config_environment,
    scrub,
)
from pr_review.git.process import MAX_STDERR_BYTES

SLEEP = 'case "$*" in *rev-parse*) sleep 60;; esac'


def code(call, *args, **options):
    with pytest.raises((RepositoryError, ConfigError)) as caught:
        call(*args, **options)
    return caught.value.code


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("subcommand", ["push", "checkout", "config", "-c", "gc", "submodule"])
def test_only_listed_subcommands_run(repo, open_git, subcommand):
    assert subcommand not in SUBCOMMANDS
    with pytest.raises(ValueError, match="not an allowed subcommand"):
        open_git(repo).run(subcommand)


@given(st.dictionaries(st.text(), st.text()))
def test_the_environment_is_built_from_nothing(env):
    kept = {name: env[name] for name in INHERITED if name in env}
    assert {name: value for name, value in scrub(env).items() if name in env} == kept | {
        name: value for name, value in scrub({}).items() if name in env
    }


def test_what_could_redirect_git_is_not_inherited(repo, open_git, shim):
    """Variables of a user, a runner, or another git process never reach ours."""
    shim.script(f"env > {shim.folder}/env")
    hostile = {
        "GIT_DIR": "/elsewhere",
        "GIT_EXTERNAL_DIFF": "evil",
        "GIT_CONFIG_PARAMETERS": "'core.pager=evil'",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/elsewhere",
        "GIT_ASKPASS": "evil",
        "GITHUB_TOKEN": "secret",
        "HOME": "/home/someone",
        "XDG_CONFIG_HOME": "/home/someone/.config",
        "GIT_CONFIG_GLOBAL": "/home/someone/.gitconfig",
        "https_proxy": "http://proxy:1",
    }
    open_git(repo, shim.env | hostile).run("rev-parse", "--git-dir")
    seen = dict(line.split("=", 1) for line in (shim.folder / "env").read_text().splitlines() if "=" in line)
    assert "https_proxy" not in seen, "git would read NO_PROXY in its own way"
    assert seen["GIT_DIR"] == str(repo.git_dir)
    assert ENVIRONMENT.items() <= seen.items()
    assert {
        "HOME": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }.items() <= ENVIRONMENT.items()
    assert "GITHUB_TOKEN" not in seen
    assert {"GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS", "GIT_ASKPASS", "XDG_CONFIG_HOME"}.isdisjoint(seen)


def test_a_ca_bundle_for_httpx_is_also_gits():
    assert scrub({"SSL_CERT_FILE": "/ca"})["GIT_SSL_CAINFO"] == "/ca"
    assert scrub({"SSL_CERT_FILE": "/ca", "GIT_SSL_CAINFO": "/own"})["GIT_SSL_CAINFO"] == "/own"
    assert scrub({"SSL_CERT_DIR": "/cas"})["GIT_SSL_CAPATH"] == "/cas"


def test_every_call_carries_the_settings_and_literal_pathspecs(repo, open_git, shim):
    open_git(repo, shim.env).run("rev-parse", "--git-dir")
    (call,) = shim.calls
    assert "--literal-pathspecs" in call
    assert all(f"-c {key}={value}" in call for key, value in SETTINGS.items())
    assert {
        "core.alternateRefsCommand": "true",
        "core.commitGraph": "false",
        "core.multiPackIndex": "false",
        "gc.auto": "0",
        "maintenance.auto": "false",
        "core.quotePath": "false",
        "core.pager": "cat",
        "diff.external": "",
    }.items() <= SETTINGS.items()


def test_configuration_with_a_secret_travels_in_the_environment(repo, open_git, shim):
    shim.script(f"env > {shim.folder}/env")
    git = open_git(repo, shim.env)
    git.call("rev-parse", "--git-dir", config={"http.https://host/.extraheader": "Authorization: s3cret"})
    assert "s3cret" not in shim.log.read_text()
    assert "GIT_CONFIG_VALUE_0=Authorization: s3cret" in (shim.folder / "env").read_text()
    assert config_environment({}) == {"GIT_CONFIG_COUNT": "0"}


def test_a_status_other_than_0_is_a_failure_without_gits_words(repo, open_git):
    with pytest.raises(RepositoryError) as caught:
        open_git(repo).run("rev-parse", "--verify", "nothing")
    assert caught.value.code == "git_failed"
    assert str(repo.path) not in f"{caught.value}{caught.value.advice}"
    assert b"fatal" in caught.value.__cause__.stderr


@pytest.mark.parametrize(("limit", "fits"), [(99, False), (100, True), (101, True)])
def test_output_is_capped(repo, open_git, limit, fits):
    repo.commit({"x": b"a" * 100})
    git = open_git(repo)
    if fits:
        assert len(git.run("cat-file", "blob", "main:x", max_bytes=limit)) == 100
    else:
        assert code(git.run, "cat-file", "blob", "main:x", max_bytes=limit) == "git_output_too_large"


def test_much_standard_error_neither_blocks_nor_grows(repo, open_git, shim):
    shim.script("head -c 3000000 /dev/zero >&2")
    done = open_git(repo, shim.env).call("rev-parse", "--git-dir")
    assert done.status == 0
    assert len(done.stderr) == MAX_STDERR_BYTES


def test_no_git_on_path_is_one_clear_error(repo, open_git, tmp_path):
    assert code(open_git(repo, {"PATH": str(tmp_path)}).run, "rev-parse") == "git_missing"


def test_no_time_left_is_a_timeout(repo, open_git):
    with pytest.raises(RepositoryError) as caught:
        open_git(repo, remaining=lambda: 0.0).run("rev-parse", "--git-dir")
    assert caught.value.code == "git_timeout"
    assert caught.value.termination_reason is TerminationReason.REVIEW_TIMEOUT


def test_a_slow_git_is_killed_with_all_it_started_when_the_time_is_up(repo, open_git, shim):
    shim.script(f"sleep 60 & echo $! > {shim.folder}/pid; wait")
    end = time.monotonic() + 0.3
    git = open_git(repo, shim.env, lambda: end - time.monotonic())
    assert code(git.run, "rev-parse") == "git_timeout"
    assert time.monotonic() - end < 1
    grandchild = int((shim.folder / "pid").read_text())
    time.sleep(0.05)
    assert not alive(grandchild) or is_zombie(grandchild)


def is_zombie(pid):
    return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] == "Z"


def test_one_call_can_be_given_less_than_what_remains(repo, open_git, shim):
    shim.script(SLEEP)
    start = time.monotonic()
    assert code(open_git(repo, shim.env).run, "rev-parse", within=0.2) == "git_timeout"
    assert time.monotonic() - start < 2


def test_a_git_that_talks_for_ever_is_stopped_by_the_clock(repo, open_git, shim):
    shim.script("yes")
    end = time.monotonic() + 0.3
    git = open_git(repo, shim.env, lambda: end - time.monotonic())
    with git.stream("rev-parse") as process:
        assert code(lambda: list(process.chunks())) == "git_timeout"


@pytest.mark.parametrize("calls", [1, 4])
def test_kill_frees_every_worker_at_once_and_refuses_later_calls(repo, open_git, shim, calls):
    shim.script(SLEEP)
    git = open_git(repo, shim.env)
    outcomes = []
    workers = [
        threading.Thread(target=lambda: outcomes.append(code(git.run, "rev-parse"))) for _ in range(calls)
    ]
    for worker in workers:
        worker.start()
    while len(shim.calls) < calls:
        time.sleep(0.01)
    start = time.monotonic()
    git.kill()
    for worker in workers:
        worker.join(5)
    assert time.monotonic() - start < 1
    assert outcomes == ["git_cancelled"] * calls
    assert code(git.run, "rev-parse") == "git_cancelled"
    assert len(shim.calls) == calls
    git.kill()
    git.close()
    git.close()


def test_kill_frees_a_worker_that_waits_for_an_object(repo, open_git, shim):
    shim.script("sleep 60")
    git = open_git(repo, shim.env)
    outcomes = []
    worker = threading.Thread(target=lambda: outcomes.append(code(git.objects.info, "1" * 40)))
    worker.start()
    while not shim.calls:
        time.sleep(0.01)
    git.kill()
    worker.join(5)
    assert outcomes == ["git_cancelled"]


def test_kill_from_a_signal_handler_does_not_deadlock(repo, open_git):
    """The handler can interrupt the thread that is just starting git."""
    git = open_git(repo)

    def keep_running():
        while True:
            git.run("rev-parse", "--git-dir")

    previous = signal.signal(signal.SIGALRM, lambda *_: git.kill())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert code(keep_running) == "git_cancelled"
    finally:
        signal.signal(signal.SIGALRM, previous)


def test_kill_may_interrupt_its_own_thread_while_that_starts_git(repo, open_git):
    """As a signal handler does: the lock is held already."""
    git = open_git(repo)

    def interrupted():
        with git._lock:
            git.kill()

    thread = threading.Thread(target=interrupted, daemon=True)
    thread.start()
    thread.join(5)
    assert not thread.is_alive()


def test_objects_are_read_by_several_threads_through_one_process(repo, open_git, shim):
    sha = repo.commit({f"f{n}": b"%d" % n * (n * 997) for n in range(40)})
    listing = repo.git("ls-tree", sha).splitlines()
    wanted = {line.split()[2]: int(line.split("\tf")[1]) for line in listing}
    git = open_git(repo, shim.env)
    wrong = []

    def read_all():
        for oid, n in wanted.items():
            if git.objects.contents(oid) != b"%d" % n * (n * 997) or git.objects.info(oid).kind != "blob":
                wrong.append(n)

    threads = [threading.Thread(target=read_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(shim.calls) == 1


def test_an_absent_object_is_none_or_missing_and_the_reader_goes_on(repo, open_git):
    sha = repo.commit({"x": b"1"})
    objects = open_git(repo).objects
    assert objects.info("0" * 40) is None
    assert code(objects.contents, "0" * 40) == "object_missing"
    assert objects.info(sha).kind == "commit"


def test_a_reader_that_died_is_an_error_and_the_next_request_starts_another(repo, open_git, shim):
    sha = repo.commit({"x": b"1"})
    shim.script(f"test -e {shim.folder}/second || {{ touch {shim.folder}/second; exit 1; }}")
    objects = open_git(repo, shim.env).objects
    assert code(objects.info, sha) == "git_failed"
    assert objects.info(sha).kind == "commit"


def test_every_failure_says_what_to_do(repo):
    with pytest.raises(RepositoryError) as caught:
        Git(repo.git_dir, {}, lambda: 0.0).run("log")
    assert caught.value.detail.endswith(".")
    assert caught.value.advice
