"""Tool schemas in each server's form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.llm.chat_completions.profiles import PROFILES
from pr_review.llm.chat_completions.schemas import SchemaForm, encode_tools, normalise
from pr_review.tools.canonical.inspect_git_diff import InspectGitDiff
from pr_review.tools.canonical.list_repository_files import ListRepositoryFiles
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile
from pr_review.tools.canonical.search_repository import SearchRepository

SPECS = [tool.spec for tool in (ListRepositoryFiles, ReadRepositoryFile, SearchRepository, InspectGitDiff)]
NORMALISED = [SchemaForm.PORTABLE, SchemaForm.GRAMMAR]
UNSUPPORTED = {
    "$schema", "$defs", "definitions", "$ref", "not", "nullable", "title", "allOf", "anyOf", "oneOf",
    "additionalProperties",
}  # fmt: skip


def assert_strict(node: dict) -> None:
    """What the strictest servers (Bedrock, Gemini) take, at every node."""
    assert isinstance(node["type"], str)
    assert not UNSUPPORTED & node.keys()
    assert node.get("default", 0) is not None
    assert node.get("required") != []
    if node["type"] == "object":
        assert isinstance(node["properties"], dict)
    if node["type"] == "array":
        assert isinstance(node["items"], dict)
        assert {"type", "properties"} & node["items"].keys()
    for child in (*node.get("properties", {}).values(), *([node["items"]] if "items" in node else [])):
        assert_strict(child)


@pytest.mark.parametrize("form", NORMALISED)
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_tool_meets_the_strict_contract(spec, form):
    schema = normalise(spec.parameters, form)
    assert_strict(schema)
    assert json.loads(json.dumps(schema)) == schema
    assert set(schema["properties"]) == set(spec.parameters["properties"])


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_every_profile_offers_every_tool(profile):
    encoded = encode_tools(SPECS, profile.schema)
    assert [tool["function"]["name"] for tool in encoded] == [spec.name for spec in SPECS]
    assert all(tool.keys() == {"type", "function"} for tool in encoded)
    assert all(tool["function"].keys() == {"name", "description", "parameters"} for tool in encoded)


def test_canonical_schemas_are_sent_as_they_are():
    encoded = encode_tools(SPECS, SchemaForm.CANONICAL)
    assert [tool["function"]["parameters"] for tool in encoded] == [spec.parameters for spec in SPECS]


def test_the_portable_form_is_that_of_the_appendix():
    read = normalise(ReadRepositoryFile.spec.parameters, SchemaForm.PORTABLE)
    listing = normalise(ListRepositoryFiles.spec.parameters, SchemaForm.PORTABLE)
    assert read["properties"]["end_line"] == {"type": "integer", "minimum": 1}
    assert read["required"] == ["path"]
    assert listing["properties"]["cursor"]["type"] == "string"
    assert "default" not in listing["properties"]["cursor"]
    assert listing["properties"]["limit"] == {"type": "integer", "minimum": 1, "maximum": 200, "default": 100}
    assert "required" not in listing


def test_a_grammar_has_no_repetition_counts():
    text = json.dumps([normalise(spec.parameters, SchemaForm.GRAMMAR) for spec in SPECS])
    assert "maxLength" not in text
    assert "maxItems" not in text
    portable = json.dumps([normalise(spec.parameters, SchemaForm.PORTABLE) for spec in SPECS])
    assert "maxLength" in portable
    assert "maxItems" in portable


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, {"type": "object", "properties": {}}),
        ({"type": "string"}, {"type": "object", "properties": {}}),
        (
            {"properties": {"title": {"type": ["null", "string"], "title": "T"}}},
            {"type": "object", "properties": {"title": {"type": "string"}}},
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 2}]}},
            },
            {"type": "object", "properties": {"a": {"type": "integer", "minimum": 2}}},
        ),
        (
            {"type": "object", "properties": {"a": {"oneOf": [{"type": "null"}]}}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
        ),
        (
            {
                "allOf": [
                    {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"properties": {"b": {"type": "array"}}, "required": ["b"]},
                ],
                "required": ["c"],
                "properties": {"c": {"type": "number"}},
            },
            {
                "type": "object",
                "properties": {
                    "b": {"type": "array", "items": {"type": "string"}},
                    "a": {"type": "string"},
                    "c": {"type": "number"},
                },
                "required": ["b", "a", "c"],
            },
        ),
    ],
)
def test_composites_and_gaps(schema, expected):
    assert normalise(schema, SchemaForm.PORTABLE) == expected


SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {}, optional={"type": st.sampled_from(["string", "integer", "null", "array", "object"])}
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", ["null", "object"], ["null"], 5]),
            "properties": st.dictionaries(st.sampled_from(["title", "a", "$ref", "not"]), inner, max_size=3),
            "items": inner,
            "anyOf": st.lists(inner, max_size=2),
            "allOf": st.lists(inner, max_size=2),
            "title": st.just("T"),
            "additionalProperties": st.just(False),
            "default": st.none() | st.just(1),
            "required": st.just([]) | st.just(["a"]),
        },
    ),
    max_leaves=10,
)


@given(SCHEMAS, st.sampled_from(NORMALISED))
def test_any_schema_comes_out_strict(schema, form):
    assert_strict(normalise(schema, form))
