"""The validators of arguments accept exactly what the JSON Schemas shown to the model accept."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from pr_review.tools.canonical.inspect_git_diff import InspectGitDiff
from pr_review.tools.canonical.list_repository_files import ListRepositoryFiles
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile
from pr_review.tools.canonical.search_repository import SearchRepository
from pr_review.tools.toolsets import canonical_tools

TOOLS = [ListRepositoryFiles, ReadRepositoryFile, SearchRepository, InspectGitDiff]
INTEGERS = [
    (ListRepositoryFiles, "limit"),
    (ReadRepositoryFile, "start_line"),
    (ReadRepositoryFile, "end_line"),
    (SearchRepository, "limit"),
    (InspectGitDiff, "max_bytes"),
]
REQUIRED = {ReadRepositoryFile: {"path": "a"}, SearchRepository: {"query": "a"}}
NUMBERS = st.sampled_from(
    [0, 1, 2, -1, 99, 100, 101, 199, 200, 201, 131071, 131072, 131073, 10**30, 1.0, 100.0, 201.0, 1.5, 1e300]
) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = (
    st.none()
    | st.booleans()
    | NUMBERS
    | st.sampled_from(["", "a", "1", "x" * 511, "x" * 512, "x" * 513, "é" * 512, "\0", "😀" * 512])
    | st.text(max_size=5)
    | st.lists(st.text(max_size=3) | st.integers() | st.none(), max_size=3)
    | st.sampled_from([["a"] * 49, ["a"] * 50, ["a"] * 51, {}, {"a": 1}])
)


def test_every_canonical_tool_is_compared(tree_of, searcher_of, diff_of):
    assert [type(tool) for tool in canonical_tools(tree_of({}), searcher_of([]), diff_of())] == TOOLS


def by_schema(tool, arguments) -> bool:
    return Draft202012Validator(tool.spec.parameters).is_valid(arguments)


def by_model(tool, arguments) -> bool:
    try:
        tool.args_model.model_validate(arguments)
    except ValidationError:
        return False
    return True


@given(st.sampled_from(TOOLS), st.data())
@settings(max_examples=600)
def test_model_and_schema_accept_the_same_arguments(tool, data):
    names = st.sampled_from([*tool.spec.parameters["properties"], "command"])
    arguments = data.draw(st.dictionaries(names, VALUES, max_size=4)) | data.draw(
        st.sampled_from([{}, REQUIRED.get(tool, {})])
    )
    assert by_model(tool, arguments) is by_schema(tool, arguments), arguments


@pytest.mark.parametrize(("tool", "name"), INTEGERS)
@pytest.mark.parametrize(
    ("value", "accepted"),
    [("10", False), (10.0, True), (10.5, False), (True, False), (False, False), ([10], False), (10, True)],
)
def test_only_whole_numbers_are_integers(tool, name, value, accepted):
    arguments = REQUIRED.get(tool, {}) | {name: value}
    assert by_model(tool, arguments) is by_schema(tool, arguments) is accepted


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_refused(value):
    assert not by_model(ListRepositoryFiles, {"limit": value})


def test_a_whole_float_becomes_an_integer():
    args = ListRepositoryFiles.args_model.model_validate({"limit": 10.0})
    assert type(args.limit) is int


@pytest.mark.parametrize(("tool", "name"), INTEGERS)
def test_null_is_accepted_only_where_the_schema_says_so(tool, name):
    arguments = REQUIRED.get(tool, {}) | {name: None}
    assert by_model(tool, arguments) is by_schema(tool, arguments) is (name == "end_line")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (ListRepositoryFiles, {"path": "\ud800"}),
        (ListRepositoryFiles, {"cursor": "\udfff"}),
        (ReadRepositoryFile, {"path": "a\ud800"}),
        (SearchRepository, {"query": "\udc00"}),
        (InspectGitDiff, {"paths": ["a", "\ud83d"]}),
    ],
)
def test_a_lone_surrogate_is_refused(tool, arguments):
    """JSON can carry one, UTF-8 cannot: it would break the next request."""
    assert not by_model(tool, arguments)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_refuses_an_extra_property(tool):
    valid = REQUIRED.get(tool, {})
    assert by_model(tool, valid)
    assert not by_model(tool, valid | {"command": "pytest"})


@pytest.mark.parametrize("tool", TOOLS)
def test_the_defaults_are_the_schema_s(tool):
    args = tool.args_model.model_validate(REQUIRED.get(tool, {}))
    for name, schema in tool.spec.parameters["properties"].items():
        if "default" in schema:
            assert getattr(args, name) == schema["default"]


@pytest.mark.parametrize(
    ("tool", "name", "low", "high"),
    [
        (ListRepositoryFiles, "limit", 1, 200),
        (SearchRepository, "limit", 1, 100),
        (InspectGitDiff, "max_bytes", 1, 131072),
        (ReadRepositoryFile, "start_line", 1, None),
        (ReadRepositoryFile, "end_line", 1, None),
    ],
)
def test_numbers_are_bounded_at_exactly_the_limit(tool, name, low, high):
    def accepted(*values):
        return [by_model(tool, REQUIRED.get(tool, {}) | {name: value}) for value in values]

    assert accepted(low - 1, low, low + 1) == [False, True, True]
    if high is None:
        assert accepted(10**30) == [True]
    else:
        assert accepted(high - 1, high, high + 1) == [True, True, False]


@pytest.mark.parametrize(
    ("length", "accepted"), [(0, False), (1, True), (511, True), (512, True), (513, False)]
)
def test_a_query_is_bounded_in_characters(length, accepted):
    assert by_model(SearchRepository, {"query": "😀" * length}) is accepted


@pytest.mark.parametrize(("count", "accepted"), [(49, True), (50, True), (51, False)])
def test_the_list_of_paths_is_bounded(count, accepted):
    assert by_model(InspectGitDiff, {"paths": ["a"] * count}) is accepted
