import json
import os
import subprocess
import threading
import time

import pytest

from pr_review.checks import ruff
from pr_review.checks.ruff import Ruff, find_ruff
from pr_review.checks.ruff_diagnostics import MAX_HITS
from pr_review.checks.ruff_rules import SYNTAX_ERROR, load_rules
from pr_review.checks.source import Source

UNDEFINED = "x = undefined"
# One line each that ends ruff with a stack overflow; no other file of the batch may suffer.
NESTED = "[" * 50_000 + "]" * 50_000
CRASHING = [f"x = {NESTED}", "x = a" + "()" * 60_000, "x = " + "-" * 100_000 + "1", "x = a" + ".b" * 100_000]


def found(linter, source):
    (result,) = linter.check([source])
    assert result.failure is None
    return [(hit.line, hit.rule) for hit in result.hits]


def failure(linter, source):
    (result,) = linter.check([source])
    return result.failure


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


@pytest.mark.parametrize("code", [code for code in load_rules() if code != SYNTAX_ERROR])
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


def test_a_configuration_beside_the_binary_or_above_is_not_read(tmp_path, make_source, ruff_at):
    (tmp_path / "ruff.toml").write_text('[lint.per-file-ignores]\n"*" = ["F821"]\n')
    binary = find_ruff()
    assert binary is not None
    (tmp_path / "ruff").symlink_to(binary)
    assert found(ruff_at(tmp_path / "ruff"), make_source("a.py", UNDEFINED)) == [(1, "F821")]


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


@pytest.mark.parametrize("added", [[2, 3], [3]])
def test_a_file_with_an_old_syntax_error_was_not_checked(linter, make_source, added):
    """Ruff's rules need a tree, so the undefined name on the last line is not found."""
    source = make_source("a.py", "x = = = 1\ny = = 2\nz = undefined\n", added=added)
    assert failure(linter, source) == "the file is not valid Python, line 1"


def test_the_first_syntax_error_counts_also_when_it_is_reported_again(linter, make_source):
    assert found(linter, make_source("a.py", "<<< HEAD\n")) == [(1, "invalid-syntax")]


def test_an_error_at_the_end_of_the_file_is_on_its_last_line(linter, make_source):
    assert found(linter, make_source("a.py", "x = 1\ny = (\n")) == [(2, "invalid-syntax")]


def test_a_template_is_not_python_yet(linter, make_source):
    source = make_source("a.py", "import {{ cookiecutter.name }}\n{% if x %}\n")
    assert failure(linter, source) == "the file is a template of Python code, line 1"


@pytest.mark.parametrize("line", ["# {{ x }}", "s = '{% if x %}'", 's = f"{{x}}"', '"""\n{{ x }}\n"""'])
def test_what_looks_like_a_template_in_a_comment_or_string_excuses_no_syntax_error(linter, make_source, line):
    text = f"{line}\nx = (\n"
    assert found(linter, make_source("a.py", text)) == [(text.count("\n"), "invalid-syntax")]


def test_lines_are_counted_as_git_counts_them(linter, make_source):
    text = "a = 1\r\nb = 'x\fy'\rc = 2\rd = undefined\r\ne = other\n"
    assert found(linter, make_source("a.py", text)) == [(2, "F821"), (3, "F821")]


def test_the_name_at_fault_is_in_the_title_and_the_rule_in_the_explanation(linter, make_source):
    ((hit,),) = [result.hits for result in linter.check([make_source("a.py", UNDEFINED)])]
    assert hit.title == "Undefined name `undefined`"
    assert hit.rule == "F821"
    assert hit.evidence == UNDEFINED


@pytest.mark.parametrize(
    "path", ["a.py", "pkg/__init__.py", "a.pyi", "pkg/__init__.pyi", "a.PYI", "a.pyw", "x/__init__.pyw"]
)
def test_a_file_keeps_its_kind(linter, make_source, path):
    """A stub may use a name before it is defined, and only a package has a path."""
    stub = path.lower().endswith(".pyi")
    package = "__init__" in path and not stub
    text = "class Base(Later): ...\nclass Later: ...\ny = __path__\n"
    lines = [line for line, _ in found(linter, make_source(path, text))]
    assert (1 in lines, 3 in lines) == (not stub, not package)


def test_many_files_are_checked_by_few_processes(linter, make_source, monkeypatch):
    monkeypatch.setattr(ruff, "BATCH_FILES", 3)
    results = linter.check([make_source(f"{number}/a.py", f"x = 1\ny = u{number}") for number in range(10)])
    titles = [[hit.title for hit in result.hits] for result in results]
    assert titles == [[f"Undefined name `u{number}`"] for number in range(10)]


def test_files_of_one_name_in_two_folders_are_told_apart(linter, make_source):
    sources = [make_source(path, "\n" * number + UNDEFINED) for number, path in enumerate(["a.py", "b/a.py"])]
    assert [[hit.line for hit in result.hits] for result in linter.check(sources)] == [[1], [2]]


@pytest.mark.parametrize("line", CRASHING, ids=lambda line: line[:8])
def test_a_file_that_crashes_ruff_costs_no_other_file(linter, make_source, line):
    bad = make_source("bad.py", f"{UNDEFINED}\n{line}\n")
    good = [make_source(f"{number}.py", UNDEFINED) for number in range(6)]
    results = linter.check([*good[:4], bad, *good[4:]])
    assert [result.failure for result in results] == [None] * 4 + ["it crashed"] + [None] * 2
    assert [len(result.hits) for result in results] == [1, 1, 1, 1, 0, 1, 1]


def test_old_diagnostics_do_not_crowd_out_new_ones(linter, make_source):
    text = f"{UNDEFINED}\n" + "x\n" * 20_000 + "z = also_undefined"
    added = make_source("a.py", text.replace("x\n", "old\n"), added=[1, 20_002])
    assert found(linter, added) == [(1, "F821"), (20_002, "F821")]


def test_a_file_with_more_defects_than_the_limit_is_not_checked_whole(linter, make_source):
    (result,) = linter.check([make_source("a.py", "\n".join(["u"] * MAX_HITS))])
    assert (len(result.hits), result.failure) == (MAX_HITS, None)
    (result,) = linter.check([make_source("a.py", "\n".join(["u"] * (MAX_HITS + 1)))])
    assert (len(result.hits), result.failure) == (MAX_HITS, "it found more than 1,000 defects")


FOREIGN = json.dumps(
    {"code": "F821", "filename": "/etc/passwd", "message": "m", "location": {"row": 1, "column": 1}}
)


@pytest.mark.parametrize(
    "body",
    [
        "exit 2",
        "kill -9 $$",
        "exit 101",
        """echo '{"code":'; exit 1""",
        "echo rubbish",
        "echo '[]'",
        f"echo '{FOREIGN}'; exit 1",
    ],
    ids=lambda body: body[:16],
)
def test_a_ruff_that_fails_has_checked_nothing(tmp_path, ruff_at, body):
    assert failure(ruff_at(script(tmp_path, body)), Source("a.py", "x\n", {1: "x"})) == "it crashed"


def test_a_bug_in_ruff_that_it_reports_by_itself_is_no_clean_file(tmp_path, ruff_at):
    """Ruff catches its own panics and goes on with the other files; such a diagnostic has no rule."""
    panic = {"code": None, "filename": "/x/0.py", "message": "m", "location": {"row": 1, "column": 1}}
    linter = ruff_at(script(tmp_path, f"echo '{json.dumps(panic)}'; exit 1"))
    results = linter.check([Source("a.py", "x", {1: "x"}), Source("b.py", "x", {1: "x"})])
    assert [result.failure for result in results] == ["it could not read the file", None]


def test_a_ruff_that_is_not_there_has_checked_nothing(tmp_path, ruff_at):
    assert failure(ruff_at(tmp_path / "ruff"), Source("a.py", "x", {1: "x"})) == "it could not be started"


def test_without_room_for_the_files_nothing_was_checked(tmp_path):
    linter = Ruff(script(tmp_path, "exit 0"), tmp_path / "gone", lambda: 60)
    assert failure(linter, Source("a.py", "x", {1: "x"})) == "its temporary files could not be written"


@pytest.mark.parametrize(("remaining", "seconds"), [(600, 0.3), (0.8, 60)])
def test_a_ruff_that_hangs_is_ended_after_its_time_or_half_of_the_run_s(
    tmp_path, ruff_at, remaining, seconds
):
    linter = ruff_at(script(tmp_path, "exec sleep 60"), remaining, timeout_seconds=seconds)
    started = time.monotonic()
    assert failure(linter, Source("a.py", "x", {1: "x"})) == "it took too long"
    assert time.monotonic() - started < 10


def test_without_time_no_process_is_started(tmp_path, ruff_at):
    linter = ruff_at(script(tmp_path, f"touch {tmp_path}/started"), 0.1)
    assert failure(linter, Source("a.py", "x", {1: "x"})) == "no time was left"
    assert not (tmp_path / "started").exists()


def test_kill_ends_the_running_process_and_refuses_the_next(tmp_path, ruff_at):
    marker = tmp_path / "started"
    linter = ruff_at(
        script(tmp_path, f"echo $$ > {marker}.new; mv {marker}.new {marker}; exec sleep 60"), 600
    )
    failures = []

    def run():
        failures.append(failure(linter, Source("a.py", "x", {1: "x"})))

    thread = threading.Thread(target=run)
    thread.start()
    deadline = time.monotonic() + 10
    while not marker.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    linter.kill()
    linter.kill()
    thread.join(timeout=10)
    assert failures == ["the run was ended"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)
    assert failure(linter, Source("a.py", "x", {1: "x"})) == "the run was ended"


def test_the_process_gets_numbered_files_in_a_private_folder_and_no_environment(
    tmp_path, ruff_at, monkeypatch
):
    monkeypatch.setenv("SECRET", "s")
    names = ["../../escape.py", "--config=x.py", "a b/é\n.pyi", "ruff.toml/__init__.py"]
    said = f"env > {tmp_path}/env; stat -c '%a' . > {tmp_path}/mode; find . -type f | sort > {tmp_path}/files"
    linter = ruff_at(script(tmp_path, f"PATH=/usr/bin:/bin; {said}"))
    results = linter.check([Source(name, "x", {1: "x"}) for name in names])
    assert [result.failure for result in results] == [None] * 4
    assert "SECRET" not in (tmp_path / "env").read_text()
    assert (tmp_path / "mode").read_text() == "700\n"
    assert (tmp_path / "files").read_text().split() == ["./0.py", "./1.py", "./2.pyi", "./3/__init__.py"]


def test_nothing_is_left_in_the_scratch_folder(tmp_path, make_source):
    binary = find_ruff()
    assert binary is not None
    linter = Ruff(binary, tmp_path, lambda: 60)
    linter.check([make_source("a.py", UNDEFINED), make_source("b.py", CRASHING[0])])
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_inside_a_project_is_not_configured_by_it(tmp_path, make_source):
    """Neither a configuration above nor a folder's name, which ruff would skip, hides a file."""
    binary = find_ruff()
    assert binary is not None
    scratch = tmp_path / "node_modules" / "build"
    scratch.mkdir(parents=True)
    (tmp_path / "ruff.toml").write_text('exclude = ["*.py"]\n[lint.per-file-ignores]\n"*" = ["F821"]\n')
    (tmp_path / ".gitignore").write_text("*\n")
    assert found(Ruff(binary, scratch, lambda: 60), make_source("a.py", UNDEFINED)) == [(1, "F821")]
