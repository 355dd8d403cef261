"""Tool schemas in the form a server accepts; arguments are always validated against the canonical ones."""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import JsonValue

from pr_review.domain.chat import ToolSpec
from pr_review.domain.frozen import JsonObject


class SchemaForm(StrEnum):
    """How much of JSON Schema a server takes."""

    CANONICAL = "canonical"
    PORTABLE = "portable"  # one type a node, no composites, no additionalProperties (Gemini, Bedrock)
    GRAMMAR = "grammar"  # portable, and no repetition counts (llama.cpp compiles them into a grammar)


_ALWAYS_DROPPED = frozenset({
    "$defs", "$id", "$ref", "$schema", "additionalProperties", "definitions", "not", "nullable", "title",
})  # fmt: skip
_DROPPED = {
    SchemaForm.PORTABLE: _ALWAYS_DROPPED,
    SchemaForm.GRAMMAR: _ALWAYS_DROPPED | {"maxItems", "maxLength"},
}
_NAME_MAPS = frozenset({"patternProperties", "properties"})  # their keys are names, never keywords


def encode_tools(tools: Sequence[ToolSpec], form: SchemaForm) -> list[JsonValue]:
    """The ``tools`` value of a request."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": normalise(tool.parameters, form),
            },
        }
        for tool in tools
    ]


def normalise(schema: JsonObject, form: SchemaForm) -> JsonObject:
    """The schema in a server's form: always an object at its root, canonical schemas unchanged."""
    if form is SchemaForm.CANONICAL:
        return schema
    node = _node(schema, _DROPPED[form])
    return node if node.get("type") == "object" else {"type": "object", "properties": {}}


def _node(schema: JsonObject, dropped: frozenset[str]) -> JsonObject:
    """Flatten composites, drop what is not understood, recurse, and make the node valid, in this order."""
    kept = {key: value for key, value in _flatten(schema).items() if key not in dropped}
    node = {key: _child(key, value, dropped) for key, value in kept.items()}
    if node.get("default", ...) is None:
        del node["default"]
    if node.get("required") == []:
        del node["required"]
    return _completed(node)


def _child(key: str, value: JsonValue, dropped: frozenset[str]) -> JsonValue:
    if key in _NAME_MAPS and isinstance(value, dict):
        return {name: _node(child, dropped) for name, child in value.items() if isinstance(child, dict)}
    if key == "items" and isinstance(value, dict):
        return _node(value, dropped)
    return value


def _flatten(schema: JsonObject) -> JsonObject:
    """Merge every ``allOf`` branch, take the first real branch of ``anyOf`` or ``oneOf``; own keys win."""
    node = {key: value for key, value in schema.items() if key not in {"allOf", "anyOf", "oneOf"}}
    for branch in _branches(schema, "allOf"):
        flat = _flatten(branch)
        merged: JsonObject = {
            key: _union(flat[key], node.get(key)) for key in ("properties", "required") if key in flat
        }
        node = flat | node | merged
    for key in ("anyOf", "oneOf"):
        real = [branch for branch in _branches(schema, key) if branch.get("type") != "null"]
        node = (_flatten(real[0]) if real else {}) | node
    return node


def _branches(schema: JsonObject, key: str) -> list[JsonObject]:
    branches = schema.get(key)
    return [branch for branch in branches if isinstance(branch, dict)] if isinstance(branches, list) else []


def _union(first: JsonValue, second: JsonValue) -> JsonValue:
    if isinstance(first, dict) and isinstance(second, dict):
        return first | second
    if isinstance(first, list) and isinstance(second, list):
        return [*first, *(item for item in second if item not in first)]
    return first if second is None else second


def _completed(node: JsonObject) -> JsonObject:
    kind = node.get("type")
    if isinstance(kind, list):
        kind = next((name for name in kind if isinstance(name, str) and name != "null"), "string")
    if not isinstance(kind, str):
        kind = "object" if "properties" in node else "array" if "items" in node else "string"
    node = {"type": kind} | node | {"type": kind}
    if kind == "object" and not isinstance(node.get("properties"), dict):
        node["properties"] = {}
    if kind == "array" and not isinstance(node.get("items"), dict):
        node["items"] = {"type": "string"}
    return node
