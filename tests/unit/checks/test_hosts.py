"""A name that a host defines is no defect in the host's files, and any other undefined name stays one."""

import re
import tomllib
from pathlib import Path

import pytest
from tests.growth import assert_linear

from pr_review.checks.hosts import HOST_RULES, given_by, given_to, load_hosts
from pr_review.checks.ruff_rules import load_rules

ROWS = tomllib.loads((Path(__file__).parent / "data" / "host_files.toml").read_text(encoding="utf-8"))
FILES = {code: (row["path"], row["text"]) for code, row in ROWS.items()}


def undefined(linter, source):
    (result,) = linter.check([source])
    assert result.failure is None
    return [hit.title for hit in result.hits if hit.rule in {"F821", *HOST_RULES}]


def test_every_host_has_a_file_here():
    assert set(FILES) == {host.code for host in load_hosts()}


@pytest.mark.parametrize("code", FILES)
def test_what_a_host_defines_is_no_defect_in_its_files(linter, make_source, code):
    assert undefined(linter, make_source(*FILES[code])) == []


@pytest.mark.parametrize("code", FILES)
def test_each_host_defines_something_that_no_other_host_of_its_file_does(code, make_source):
    source = make_source(*FILES[code])
    (host,) = [host for host in load_hosts() if host.code == code]
    others = given_by([host for host in load_hosts() if host.code != code], source)
    used = set(re.findall(r"[A-Za-z_]\w*", source.text))
    assert host.runs(source)
    assert [name for name in used if given_by([host], source).defines(name) and not others.defines(name)]


@pytest.mark.parametrize("code", FILES)
def test_what_nobody_defines_stays_a_defect_in_the_files_of_a_host(linter, make_source, code):
    path, text = FILES[code]
    source = make_source(path, f"{text}\nprint(nobody_defines_this)\n")
    assert undefined(linter, source) == ["Undefined name `nobody_defines_this`"]


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("app.py", "print(tags, config, spark, hass)", ["tags", "config", "spark", "hass"]),
        ("app/conf.py", "print(tags)", ["tags"]),
        ("notebooks/etl.py", "x = 1\n# Databricks notebook source\nspark.sql('x')", ["spark"]),
        ("db_config.py", "c.host = 1", ["c"]),
        ("lit.py", "config.name = 'x'", ["config"]),
        ("python_scripts.py", "hass.x()", ["hass"]),
        ("x.py", "print(snakemake)", ["snakemake"]),
        ("x.py", "reveal_type(1)", ["reveal_type"]),
        ("x.py", "import sys\nif sys.version_info >= (3, 11):\n    unicode('x')", ["unicode"]),
        ("x.py", "ngettext('a', 'b', 2)", ["ngettext"]),
        ("x.py", "exec('y = 1', {})\nprint(__version__)", ["__version__"]),
        ("x.py", "import builtins\nprint(builtins.len)\nprint(trace)", ["trace"]),
        ("x.py", "x = env.Import('a')\nprint(a)", ["env", "a"]),
        ("pyscript/x.py", "log.info('x')", ["log"]),
        ("InitGui.py", "Log('x')", ["Log"]),
    ],
)  # fmt: skip
def test_a_name_of_a_host_is_undefined_in_other_files(linter, make_source, path, text, names):
    assert undefined(linter, make_source(path, text)) == [f"Undefined name `{name}`" for name in names]


def test_a_statement_that_a_host_allows_is_a_defect_elsewhere(linter, make_source):
    assert undefined(linter, make_source("x.py", "import y\nawait y.z()")) != []
    assert undefined(linter, make_source("x.py", "return 1")) != []
    assert undefined(linter, make_source("python_scripts/x.py", "return hass")) == []


def test_the_rules_of_hosts_are_rules_of_ours():
    assert {rule for host in load_hosts() for rule in host.rules} == HOST_RULES
    assert set(load_rules()) >= HOST_RULES


def test_every_host_names_its_public_source():
    assert all(re.match(r"https://[\w.-]+/", host.source) for host in load_hosts())


HOSTILE = [
    "a", " ", "\n", "# ", "#@ ", "import ", "with : ", "with :exec(open(", "exec(a.read()", "Import('",
    "Import(", "globals()[", "setattr(builtins,", "builtins.", "TYPE_CHECKING:\n ", "TYPE_CHECKING",
    "version_info", "##parameters=", "except ", "c = ", "from ", "snakemake.", "# %%", ".install(names", "(",
    ") ", "#! python",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_file_takes_linear_time(make_source, piece):
    assert_linear(lambda text: given_to(make_source("conf.py", text)), piece)
