import json
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from pr_review.checks import ruff
from pr_review.checks.ruff import MAX_DIAGNOSTICS, Ruff, find_ruff, load_rules
from pr_review.checks.source import Source
from pr_review.errors import ReviewError

UNDEFINED = "x = undefined"


def found(linter, source):
    return [(hit.line, hit.rule) for hit in linter.find(source)]


def script(tmp_path, body):
    """An executable that stands in for ruff; it hears its arguments and reads its input as ruff does."""
    path = tmp_path / "ruff"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def known():
    """Every rule of the installed ruff by code."""
    binary = find_ruff()
    assert binary is not None
    listing = subprocess.run(
        [binary, "rule", "--all", "--output-format=json"], capture_output=True, check=True
    )
    return {rule["code"]: rule for rule in json.loads(listing.stdout)}


@pytest.mark.parametrize("code", [code for code in load_rules() if code != ruff.SYNTAX_ERROR])
def test_every_listed_rule_is_stable_in_the_installed_ruff(known, code):
    assert "Stable" in known[code]["status"]


@pytest.mark.parametrize("listed", load_rules().values(), ids=lambda listed: listed.rule.code)
def test_every_listed_rule_says_what_goes_wrong_and_what_to_do(listed):
    rule = listed.rule
    for text in (rule.why, rule.fix):
        assert text.endswith(".")
        assert "`{" not in text
    assert rule.title
    assert not rule.title.endswith(".")


PLANTED = [
    ("x = undefined", "F821"),
    ("def f(a=[]):\n    return a", "B006"),
    ("def f(a, *, b={}):\n    return a, b", "B006"),
    ("try:\n    x = 1\nexcept Exception:\n    pass", "S110"),
    ("try:\n    x = 1\nexcept:\n    pass", "S110"),
    ("for x in y():\n    try:\n        z()\n    except Exception:\n        continue", "S112"),
    ("import subprocess\nsubprocess.run('ls ' + input(), shell=True)", "S602"),
    ("import os\nos.system(f'ls {input()}')", "S605"),
    ("eval(input())", "S307"),
    ("exec(input())", "S102"),
    ("import yaml\nyaml.load(x)", "S506"),
    ("import requests\nrequests.get(u, verify=False, timeout=1)", "S501"),
    ("import ssl\nssl._create_unverified_context()", "S323"),
    ("breakpoint()", "T100"),
    ("import time\nasync def f():\n    time.sleep(1)", "ASYNC251"),
    ("import asyncio\nasync def f():\n    asyncio.create_task(g())", "RUF006"),
    ("assert (x, 'message')", "F631"),
    ("'%s %s' % (1,)", "F507"),
    ("def f():\n    try:\n        return 1\n    finally:\n        return 2", "B012"),
    ("ValueError('x')", "PLW0133"),
    ("x = '\u202e'", "PLE2502"),
    ("import os\nos.chmod(p, 0o777)", "S103"),
    ("x = (", "invalid-syntax"),
]


@pytest.mark.parametrize(("text", "code"), PLANTED, ids=[code for _, code in PLANTED])
def test_a_planted_defect_is_found(linter, make_source, text, code):
    assert code in {rule for _, rule in found(linter, make_source("a.py", text))}


CLEAN = [
    "from x import *\ny = z",
    "def f(a=(), b=None, c=frozenset()):\n    return a, b, c",
    "try:\n    x = 1\nexcept ValueError:\n    pass",
    "try:\n    x = 1\nexcept Exception:\n    raise",
    "try:\n    x = 1\nexcept Exception:\n    log.exception('x')",
    "import subprocess\nsubprocess.run(['ls', x], check=True)",
    "import subprocess\nsubprocess.run('ls | wc', shell=True)",
    "import os\nos.system('clear')",
    "import ast\nast.literal_eval(input())",
    "eval('1 + 1')",
    'exec("import os", {})',
    "import yaml\nyaml.load(x, Loader=yaml.SafeLoader)",
    "import yaml\nyaml.load(x, OrderedSafeLoader)",
    "import pdb",
    "print(_('text'))",
    "x = get_ipython()",
    "import os\nos.chmod(p, 0o755)",
    "import os\nos.chmod(p, 0o600)",
    "class A(B):\n    def __init__(self):\n        return super().__init__()",
    "match x:\n    case 1:\n        pass",
    "type A = int",
    "",
]  # fmt: skip


@pytest.mark.parametrize("text", CLEAN)
def test_what_only_looks_like_a_defect_is_not_reported(linter, make_source, text):
    names = "x = y = z = p = u = log = B = OrderedSafeLoader = None\n"
    assert found(linter, make_source("a.py", names + text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "x = undefined  # noqa",
        "x = undefined  # noqa: F821",
        "# ruff: noqa\nx = undefined",
        "# ruff: noqa: F821\nx = undefined",
        "# flake8: noqa\nx = undefined",
        "# ruff: disable[F821]\nx = undefined\n# ruff: enable[F821]",
        "x = undefined  # ruff: ignore[F821]",
        "# ruff: ignore[F821]\nx = undefined",
        "# ruff: file-ignore[F821]\nx = undefined",
        "x = undefined  # type: ignore  # pylint: disable=all  # nosec",
    ],
)
def test_switches_in_the_file_silence_nothing(linter, make_source, text):
    assert "F821" in {rule for _, rule in found(linter, make_source("a.py", text))}


def test_a_configuration_beside_the_binary_or_above_is_not_read(tmp_path, make_source):
    (tmp_path / "ruff.toml").write_text('[lint.per-file-ignores]\n"*" = ["F821"]\n')
    binary = find_ruff()
    assert binary is not None
    (tmp_path / "ruff").symlink_to(binary)
    assert found(Ruff(tmp_path / "ruff"), make_source("a.py", UNDEFINED)) == [(1, "F821")]


@pytest.mark.parametrize(
    "path",
    [".venv/a.py", "node_modules/a.py", "-a.py", "--config=x.py", "a b/é\n.py", "stubs/a.pyi", "a.PYW"],
)
def test_any_path_is_checked(linter, make_source, path):
    assert found(linter, make_source(path, UNDEFINED)) == [(1, "F821")]


def test_an_old_defect_on_an_unchanged_line_is_not_reported(linter, make_source):
    text = "def f(a=[]):\n    return a\n\n\nx = undefined\n"
    assert found(linter, make_source("a.py", text, added=[2, 5])) == [(5, "F821")]


def test_only_the_first_syntax_error_counts(linter, make_source):
    text = "x = = = 1\ny = = 2\nz = )\n"
    assert found(linter, make_source("a.py", text)) == [(1, "invalid-syntax")]
    assert found(linter, make_source("a.py", text, added=[2, 3])) == []


def test_the_first_syntax_error_counts_also_when_it_is_reported_again(linter, make_source):
    assert found(linter, make_source("a.py", "<<< HEAD\n")) == [(1, "invalid-syntax")]


def test_an_error_at_the_end_of_the_file_is_on_its_last_line(linter, make_source):
    assert found(linter, make_source("a.py", "x = 1\ny = (\n")) == [(2, "invalid-syntax")]


def test_a_template_is_not_python_yet(linter, make_source):
    assert found(linter, make_source("a.py", "import {{ cookiecutter.name }}\n{% if x %}\n")) == []


def test_lines_are_counted_as_git_counts_them(linter, make_source):
    text = "a = 1\r\nb = 'x\fy'\rc = 2\rd = undefined\r\ne = other\n"
    assert found(linter, make_source("a.py", text)) == [(2, "F821"), (3, "F821")]


def test_the_name_at_fault_is_in_the_title_and_the_rule_in_the_explanation(linter, make_source):
    (hit,) = linter.find(make_source("a.py", UNDEFINED))
    assert hit.title == "Undefined name `undefined`"
    assert hit.rule == "F821"
    assert hit.evidence == UNDEFINED


def test_a_file_with_more_diagnostics_than_the_limit_fails(linter, make_source):
    def many(count):
        return make_source("a.py", "x\n" * count, added=[1])

    assert found(linter, many(MAX_DIAGNOSTICS)) == [(1, "F821")]
    with pytest.raises(ReviewError, match="check_failed"):
        linter.find(many(MAX_DIAGNOSTICS + 1))


@pytest.mark.parametrize(
    "body", ["exit 2", "kill -9 $$", "cat > /dev/null; exit 101", "exec 0<&-; exit 3"], ids=lambda body: body
)
def test_a_ruff_that_fails_is_a_failed_check(tmp_path, body):
    source = Source("a.py", "x\n" * 100_000, {1: "x"})
    with pytest.raises(ReviewError, match="check_failed"):
        Ruff(script(tmp_path, body)).find(source)


def test_a_ruff_that_is_not_there_is_a_failed_check(tmp_path):
    with pytest.raises(ReviewError, match="check_failed"):
        Ruff(tmp_path / "ruff").find(Source("a.py", "x", {1: "x"}))


def test_a_ruff_that_hangs_is_ended_after_its_time(tmp_path):
    started = time.monotonic()
    with pytest.raises(ReviewError, match="check_failed"):
        Ruff(script(tmp_path, "exec sleep 60"), timeout_seconds=0.3).find(Source("a.py", "x", {1: "x"}))
    assert time.monotonic() - started < 10


def test_kill_ends_the_running_process_and_refuses_the_next(tmp_path):
    marker = tmp_path / "started"
    linter = Ruff(script(tmp_path, f"echo $$ > {marker}.new; mv {marker}.new {marker}; exec sleep 60"))
    errors = []

    def run():
        try:
            linter.find(Source("a.py", "x", {1: "x"}))
        except ReviewError as error:
            errors.append(error.code)

    thread = threading.Thread(target=run)
    thread.start()
    deadline = time.monotonic() + 10
    while not marker.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    linter.kill()
    linter.kill()
    thread.join(timeout=10)
    assert errors == ["check_failed"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)
    with pytest.raises(ReviewError, match="check_failed"):
        linter.find(Source("a.py", "x", {1: "x"}))


def test_the_process_inherits_neither_environment_nor_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "s")
    linter = Ruff(script(tmp_path, f"env > {tmp_path}/env; pwd > {tmp_path}/cwd; cat > /dev/null"))
    assert linter.find(Source("a.py", "x", {1: "x"})) == []
    assert "SECRET" not in (tmp_path / "env").read_text()
    assert Path((tmp_path / "cwd").read_text().strip()) == tmp_path
