import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pr_review.domain.chat import ToolResult, ToolSpec
from pr_review.errors import ConfigError, ToolFailure
from pr_review.tools.canonical.read_repository_file import ReadArgs
from pr_review.tools.tool import MIN_RESULT_BYTES, ToolArgs, json_byte_count
from pr_review.tools.toolbox import MAX_FAILURE_CHARS, Toolbox
from pr_review.tools.toolsets import canonical_tools

CANONICAL = Path(__file__).parent / "data" / "tools.json"
NAMES = ["list_repository_files", "read_repository_file", "search_repository", "inspect_git_diff"]


class NoArgs(ToolArgs):
    pass


class Failing:
    """A tool that refuses with a given message."""

    args_model = NoArgs

    def __init__(self, message, name="failing"):
        self.spec = ToolSpec(name=name, description="", parameters={})
        self._message = message

    def run(self, _args, _max_bytes):
        raise ToolFailure("some_code", self._message)


class Described(Failing):
    def __init__(self, name, description):
        super().__init__("", name)
        self.spec = ToolSpec(name=name, description=description, parameters={})


@pytest.fixture
def toolbox(tree_of, searcher_of, diff_of):
    return Toolbox(canonical_tools(tree_of({"a.py": "one\ntwo\n"}), searcher_of([]), diff_of()))


def test_the_specs_are_the_canonical_array_byte_for_byte(toolbox):
    """The array is part of the review protocol: 1,682 bytes as compact JSON (docs/tools.md)."""
    wire = [{"type": "function", "function": spec.model_dump()} for spec in toolbox.specs]
    text = json.dumps(wire, ensure_ascii=False, separators=(",", ":"))
    assert text == CANONICAL.read_text()
    assert len(text.encode()) == 1682


def test_exactly_four_tools_and_none_that_writes_or_runs(toolbox):
    assert [spec.name for spec in toolbox.specs] == NAMES
    assert [name for name in ("bash", "run", "specs", "__class__", "") if toolbox.has(name)] == []
    assert all(toolbox.has(name) for name in NAMES)


def test_an_unknown_name_can_neither_be_parsed_nor_run(toolbox):
    with pytest.raises(KeyError):
        toolbox.parse("bash", {})
    with pytest.raises(KeyError):
        toolbox.run("bash", ReadArgs(path="a.py"), 4096)


def test_arguments_run_only_the_tool_they_were_parsed_for(toolbox):
    with pytest.raises(ValueError, match="cannot run"):
        toolbox.run("list_repository_files", ReadArgs(path="a.py"), 4096)


def test_invalid_arguments_raise_a_validation_error(toolbox):
    with pytest.raises(ValidationError):
        toolbox.parse("read_repository_file", {"path": "src/app.py", "command": "pytest"})


def test_a_valid_call_runs(toolbox):
    args = toolbox.parse("read_repository_file", {"path": "a.py"})
    result = toolbox.run("read_repository_file", args, 4096)
    assert result.ok
    assert result.payload["content"] == "1: one\n2: two"


def test_a_failure_is_a_result_the_model_reads(toolbox):
    args = toolbox.parse("read_repository_file", {"path": "src/missing.go"})
    assert toolbox.run("read_repository_file", args, 4096) == ToolResult(
        payload={
            "ok": False,
            "error": {"code": "path_not_found", "message": "The requested path does not exist."},
        },
        ok=False,
    )


@given(st.text(max_size=2 * MAX_FAILURE_CHARS), st.integers(MIN_RESULT_BYTES, 2048))
def test_a_failure_stays_within_any_bound(message, max_bytes):
    result = Toolbox([Failing(message)]).run("failing", NoArgs(), max_bytes)
    assert json_byte_count(result.payload) <= max_bytes
    assert message.startswith(result.payload["error"]["message"])


@pytest.mark.parametrize(("length", "kept"), [(511, 511), (512, 512), (513, 512)])
def test_a_failure_s_message_is_bounded(length, kept):
    result = Toolbox([Failing("x" * length)]).run("failing", NoArgs(), 4096)
    assert len(result.payload["error"]["message"]) == kept


def test_a_failure_that_quotes_a_lone_surrogate_can_be_sent():
    result = Toolbox([Failing("no \ud800")]).run("failing", NoArgs(), 4096)
    assert result.payload["error"]["message"] == "no ?"


@pytest.mark.parametrize(("max_bytes", "runs"), [(255, False), (256, True), (257, True)])
def test_a_budget_too_small_for_any_result_is_the_caller_s_mistake(toolbox, max_bytes, runs):
    args = toolbox.parse("read_repository_file", {"path": "missing"})
    if runs:
        assert json_byte_count(toolbox.run("read_repository_file", args, max_bytes).payload) <= max_bytes
    else:
        with pytest.raises(ValueError, match="cannot run"):
            toolbox.run("read_repository_file", args, max_bytes)


@pytest.mark.parametrize(("count", "accepted"), [(127, True), (128, True), (129, False)])
def test_the_number_of_tools_is_checked_before_the_first_request(count, accepted):
    tools = [Failing("", f"t{number}") for number in range(count)]
    if accepted:
        assert len(Toolbox(tools).specs) == count
    else:
        with pytest.raises(ConfigError, match="invalid_tools"):
            Toolbox(tools)


@pytest.mark.parametrize(("excess", "accepted"), [(-1, True), (0, True), (1, False)])
def test_the_size_of_the_schemas_is_checked_before_the_first_request(excess, accepted):
    wire = {"type": "function", "function": {"name": "t", "description": "", "parameters": {}}}
    tool = Described("t", "x" * (32768 + excess - json_byte_count([wire])))
    if accepted:
        assert Toolbox([tool]).has("t")
    else:
        with pytest.raises(ConfigError, match="invalid_tools"):
            Toolbox([tool])


def test_two_tools_cannot_share_a_name():
    with pytest.raises(ValueError, match="share a name"):
        Toolbox([Failing(""), Failing("")])
