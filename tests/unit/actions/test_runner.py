"""Nothing printed is obeyed unless it is ours, and what is ours is escaped as the runner reads it."""

import io
import re
import time
from pathlib import Path

import github_action_utils
import pytest
from github_action_utils import _files, _serialization
from hypothesis import given
from hypothesis import strategies as st

from pr_review.actions.runner import (
    MAX_SUMMARY_BYTES,
    MIN_MASK_CHARS,
    Runner,
    command,
    escape_data,
    escape_property,
    file_entry,
    mask_values,
    neutralise,
    step_outputs,
)
from pr_review.domain.finding import Finding, Review, Severity
from pr_review.domain.run import Conclusion, Outcome
from pr_review.errors import TerminationReason

TEXT = st.lists(
    st.sampled_from(
        [
            ":",
            "::",
            "##[",
            "#",
            "[",
            "%",
            "%0A",
            "\n",
            "\r",
            " ",
            "\t",
            ",",
            "\u00a0",
            "\u3000",
            "\x1b",
            "\x85",
            "error",
            "]",
        ]
    )
    | st.text(max_size=2)
).map("".join)


def random_hex() -> str:
    return "0123456789abcdef"


def in_actions(**options):
    return Runner(out=io.StringIO(), random_hex=random_hex, active=True, **options)


def obeyed(line: str) -> bool:
    """As actions/runner reads a line: ActionCommand.TryParseV2, then TryParse."""
    return line.lstrip().startswith("::") or "##[" in line


@given(TEXT)
def test_data_is_escaped_as_the_oracle_does(text):
    assert escape_data(text) == _serialization.escape_data(text)


@given(TEXT)
def test_properties_are_escaped_as_the_oracle_does(text):
    assert escape_property(text) == _serialization.escape_property(text)


@given(TEXT)
def test_neutralised_text_is_never_a_command(text):
    """However lines are split, and whatever white space stands first; no control character is left."""
    shown = neutralise(text)
    assert not any(obeyed(line) for line in re.split(r"[\r\n\x0b\x0c\x85\u2028\u2029]", shown))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)
    assert re.sub(r"[\s:#]", "", shown).count("error") == text.count("error")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", ": :error::x"),
        ("a\n \t::set-output name=x::y", "a\n \t: :set-output name=x::y"),
        ("\u00a0::stop", "\u00a0: :stop"),
        (":::", ": ::"),
        ("see ##[add-mask]x", "see # #[add-mask]x"),
        ("###[group]", "## #[group]"),
        ("std::vector a::b ## [x]", "std::vector a::b ## [x]"),
        ("\x1b[31mred", "␛[31mred"),
    ],
)
def test_neutralise_examples(text, shown):
    """Only what would be obeyed changes."""
    assert neutralise(text) == shown


@pytest.mark.parametrize("blank", ["\n", " \n", "\u00a0"])
def test_blank_lines_are_neutralised_in_linear_time(blank):
    text = blank * (2**17 // len(blank))
    start = time.perf_counter()
    assert neutralise(text) == text
    assert time.perf_counter() - start < 4  # measured: 0.01 s; a minute when each line looks at all others


@given(TEXT, TEXT)
def test_command_is_one_line(data, value):
    assert len(command("notice", data, {"title": value}).split("\n")) == 1
    assert "\r" not in command("notice", data, {"title": value})


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


@pytest.mark.parametrize(
    ("secret", "values"),
    [
        ("x" * 7, []),
        ("x" * 8, ["x" * 8]),
        ("x" * 9, ["x" * 9]),
        ("", []),
        ("        \n", []),
        ("short\nlonger-line\r\nshort", ["short\nlonger-line\r\nshort", "longer-line"]),
    ],
)
def test_mask_values(secret, values):
    """The value and each line, none under 8 characters."""
    assert MIN_MASK_CHARS == 8
    assert mask_values(secret) == values


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


def test_step_outputs_of_findings():
    """Point 10: six outputs; count and worst severity are of findings inside the diff."""
    text = {"title": "t", "explanation": "e", "evidence": "v", "recommendation": "r", "path": "a", "line": 1}
    findings = (
        Finding(severity=Severity.CRITICAL, **text),
        Finding(severity=Severity.MEDIUM, in_diff=True, **text),
    )
    outcome = Outcome(
        conclusion=Conclusion.FINDINGS,
        exit_code=1,
        provider="offline",
        review=Review(summary="", findings=findings),
        termination_reason=TerminationReason.FINAL_REVIEW,
    )
    assert step_outputs(outcome, report_path="r/review.json", summary_path="r/review.md") == {
        "conclusion": "findings",
        "findings-count": "1",
        "highest-severity": "medium",
        "report-path": "r/review.json",
        "summary-path": "r/review.md",
        "termination-reason": "final_review",
    }


def test_step_outputs_of_a_failure():
    """All are set, empty where there is nothing."""
    outcome = Outcome(conclusion=Conclusion.FAILED, exit_code=3, provider="offline")
    assert step_outputs(outcome, report_path="", summary_path="") == {
        "conclusion": "failed",
        "findings-count": "0",
        "highest-severity": "",
        "report-path": "",
        "summary-path": "",
        "termination-reason": "",
    }
