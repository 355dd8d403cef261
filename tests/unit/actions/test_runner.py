"""What the runner gets: messages, outputs, the step summary."""

import io
import re
from pathlib import Path

import github_action_utils
import pytest
from github_action_utils import _files
from hypothesis import given
from tests.command_text import TEXT

from pr_review.actions.runner import MAX_SUMMARY_BYTES, Runner, file_entry


def random_hex() -> str:
    return "0123456789abcdef"


def in_actions(**options):
    return Runner(out=io.StringIO(), random_hex=random_hex, active=True, **options)


def test_annotation_is_what_the_oracle_prints(capsys, monkeypatch):
    """Names, order of escaping, separators."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    runner = in_actions()
    runner.warning("50%\nx", {"title": "a,b:c", "file": "x%.py", "line": 3, "endLine": 7})
    github_action_utils.warning("50%\nx", title="a,b:c", file="x%.py", line=3, end_line=7)
    assert parsed(runner.out.getvalue()) == parsed(capsys.readouterr().out)


def parsed(line: str) -> tuple:
    """Name, properties whatever their order, data."""
    name, properties, data = re.fullmatch(r"::(\S+) ?(.*?)::(.*)\n", line).groups()
    return name, sorted(filter(None, properties.split(","))), data


@pytest.mark.parametrize("kind", ["notice", "warning", "error", "debug"])
def test_messages_in_actions(kind):
    """One command, controls shown, and no old form in it for a runner that does not know the new one."""
    runner = in_actions(debugging=True)
    getattr(runner, kind)("a\x1b[0m\n##[error]b")
    assert runner.out.getvalue() == f"::{kind}::a␛[0m%0A# #[error]b\n"


def test_group_closes_after_an_error():
    runner = in_actions()
    with pytest.raises(KeyError), runner.group("Round 1: a\nb"):
        raise KeyError
    assert runner.out.getvalue() == "::group::Round 1: a%0Ab\n::endgroup::\n"


def test_mask_is_escaped():
    runner = in_actions()
    runner.mask(["short", "one-long-line%\ntwo"])
    assert (
        runner.out.getvalue()
        == "::add-mask::one-long-line%25%0Atwo\n::add-mask::one-long-line%\n".replace("line%\n", "line%25\n")
    )


def test_log_is_neutralised():
    runner = in_actions()
    runner.log("::error::x")
    assert runner.out.getvalue() == ": :error::x\n"


def test_exact_text_is_printed_while_commands_are_stopped():
    """Byte for byte; a token that nobody can guess ends it."""
    runner = in_actions()
    runner.log_exactly("+::error::x\n \x1b[31m\r\n")
    token = random_hex()
    assert runner.out.getvalue() == f"::stop-commands::{token}\n+::error::x\n \x1b[31m\r\n::{token}::\n"
    outside = Runner.from_environ({}, io.StringIO(newline=""), random_hex)
    outside.log_exactly("a\r\n")
    assert outside.out.getvalue() == "a\r\n"


def test_outside_actions_it_only_prints(tmp_path):
    """No command, no file, no secret."""
    runner = Runner.from_environ({}, io.StringIO(), random_hex)
    runner.mask(["a-long-secret"])
    runner.debug("hidden")
    runner.error("bad ::x", {"line": 3})
    with runner.group("Round 1"):
        runner.log("::x")
    runner.set_outputs({"conclusion": "clean"})
    assert runner.append_summary("# x") is False
    assert runner.out.getvalue() == "error: bad ::x\nRound 1\n: :x\n"
    assert list(tmp_path.iterdir()) == []


def test_debug_messages_need_debug_logging():
    runner = in_actions()
    runner.debug("hidden")
    assert runner.out.getvalue() == ""


def test_debug_outside_actions():
    runner = Runner.from_environ({"RUNNER_DEBUG": "1"}, io.StringIO(), random_hex)
    runner.debug("shown")
    assert runner.out.getvalue() == "debug: shown\n"


def test_from_environ(tmp_path):
    """The runner's variables; an empty one is an absent one."""
    environ = {"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": str(tmp_path / "out"), "GITHUB_STEP_SUMMARY": ""}
    runner = Runner.from_environ(environ, io.StringIO(), random_hex)
    assert (runner.active, runner.output_file, runner.summary_file) == (True, tmp_path / "out", None)


@given(value=TEXT.filter(lambda text: "\r" not in text))
def test_outputs_read_back_as_the_oracle_reads_them(tmp_path_factory, value):
    """No value ends its entry early or starts another."""
    path = tmp_path_factory.mktemp("runner") / "output"
    in_actions(output_file=path).set_outputs({"a": value, "b": "2"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_ENV", str(path))
        assert _files.get_workflow_environment_variables() == {"a": value, "b": "2"}


def test_outputs_are_appended_with_random_delimiters(tmp_path):
    """A delimiter that occurs in the value is not used."""
    path = tmp_path / "output"
    path.write_text("earlier=1\n")
    delimiters = iter(["x", "aa", "bb", "cc"])
    runner = Runner(io.StringIO(), lambda: next(delimiters), active=True, output_file=path)
    runner.set_outputs({"one": "1", "two": "ends\naa\nthree=3"})
    assert path.read_text() == "earlier=1\none<<x\n1\nx\ntwo<<aabb\nends\naa\nthree=3\naabb\n"


def test_file_entry_refuses_a_delimiter_in_the_value():
    with pytest.raises(ValueError, match="delimiter"):
        file_entry("a", "x-end-y", "end")


@pytest.mark.parametrize(("extra", "written"), [(-1, True), (0, True), (1, False)])
@pytest.mark.parametrize("before", [0, 10])
def test_summary_limit(tmp_path, before, extra, written):
    """1 MiB with what is there already; beyond it nothing is written, since all of it would be dropped."""
    path = tmp_path / "summary"
    path.write_bytes(b"x" * before)
    assert MAX_SUMMARY_BYTES == 1024 * 1024
    text = "é" + "x" * (MAX_SUMMARY_BYTES - before - 3 + extra)
    assert in_actions(summary_file=path).append_summary(text) is written
    assert path.stat().st_size == (MAX_SUMMARY_BYTES + extra if written else before)


def test_summary_file_may_be_missing(tmp_path):
    assert in_actions(summary_file=tmp_path / "summary").append_summary("# é") is True
    assert Path(tmp_path / "summary").read_text(encoding="utf-8") == "# é\n"
