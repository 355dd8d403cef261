"""What each profile's server takes in tool definitions, held against the bytes of real requests.

``SERVERS`` repeats what servers' documentation and error reports say, whatever the profile's record says.
A new profile needs a row.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from pr_review.domain.chat import Message, Role, ToolSpec
from pr_review.llm.chat_completions.chat_model import ChatCompletionsModel
from pr_review.llm.chat_completions.chat_settings import ChatSettings
from pr_review.llm.chat_completions.profiles import PROFILES
from pr_review.llm.http import open_client
from pr_review.llm.request_budget import RequestBudget
from pr_review.llm.retry import Pacing
from pr_review.tools.canonical.inspect_git_diff import InspectGitDiff
from pr_review.tools.canonical.list_repository_files import ListRepositoryFiles
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile
from pr_review.tools.canonical.search_repository import SearchRepository

pytestmark = pytest.mark.anyio

CANONICAL = [
    tool.spec for tool in (ListRepositoryFiles, ReadRepositoryFile, SearchRepository, InspectGitDiff)
]
PROMPT = [Message(role=Role.SYSTEM, content="s"), Message(role=Role.USER, content="u")]
MAX_TOOLS, MAX_BYTES, MAX_NAME = 128, 32_768, 64
FORBIDDEN_ANYWHERE = {"$schema", "$id", "$ref", "$defs", "definitions", "nullable", "title", "strict"}

Rule = Callable[[dict[str, Any]], bool]
ONE_TYPE: dict[str, Rule] = {
    "a list of types": lambda node: not isinstance(node.get("type"), str),
    "a composite": lambda node: bool({"allOf", "anyOf", "oneOf", "not"} & node.keys()),
    "additionalProperties": lambda node: "additionalProperties" in node,
    "a default of null": lambda node: "default" in node and node["default"] is None,
    "an empty required": lambda node: node.get("required") == [],
    "an array without typed items": lambda node: (
        node.get("type") == "array" and not {"type", "properties"} & node.get("items", {}).keys()
    ),
    "an object without properties": lambda node: node.get("type") == "object" and "properties" not in node,
}
NO_COUNTS = ONE_TYPE | {"a repetition count": lambda node: bool({"maxLength", "maxItems"} & node.keys())}
ANY_SCHEMA: dict[str, Rule] = {}
SERVERS = {
    "opencode": ANY_SCHEMA,
    "openai": ANY_SCHEMA,
    "azure": ANY_SCHEMA,
    "deepseek": ANY_SCHEMA,
    "mistral": ANY_SCHEMA,
    "groq": ANY_SCHEMA,
    "vllm": ANY_SCHEMA,
    "ollama": ANY_SCHEMA,
    "generic": ANY_SCHEMA,
    "gemini-compat": ONE_TYPE,
    "openrouter": ONE_TYPE,  # whatever its weakest upstream takes
    "kimi": ONE_TYPE,
    "litellm": ONE_TYPE,  # it passes schemas on to Bedrock and to Gemini's native route
    "llamacpp": NO_COUNTS,
}
# Further toolsets may use more of JSON Schema than the four tools do.
WIDE = {
    "a union": {"properties": {"a": {"anyOf": [{"type": "null"}, {"type": "integer"}]}}},
    "three types": {"properties": {"a": {"type": ["integer", "string", "null"]}}},
    "merged branches": {"allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}]},
    "bare items": {"properties": {"a": {"type": "array", "items": {}, "maxItems": 3}}},
    "no type": {"properties": {"a": {"description": "Anything."}, "title": {"title": "T"}}},
    "deep": {"properties": {"a": {"type": "array", "items": {"properties": {"b": {"type": ["null"]}}}}}},
    "closed inside": {"properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}}}},
    "nothing": {},
}


@pytest.fixture
def sent_tools(chat_server):
    """The ``tools`` of a request as the server receives them, in bytes."""

    async def run(profile: str, tools: list[ToolSpec], **options: Any) -> bytes:
        chat_server.add(chat_server.completion("{}"))
        async with open_client(chat_server.url) as client:
            model = ChatCompletionsModel(
                ChatSettings(chat_server.url, "m", PROFILES[profile], "s", SecretStr("k"), **options),
                client=client,
                budget=RequestBudget(1),
                pacing=Pacing(lambda: 60.0),
            )
            await model.complete(PROMPT, tools)
        body: bytes = chat_server.requests[-1].body
        start = body.index(b'"tools":') + len(b'"tools":')
        tools_value, end = json.JSONDecoder().raw_decode(body[start:].decode())
        assert tools_value == chat_server.requests[-1].json["tools"]
        return body[start:][:end]

    return run


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every schema in a schema; names of properties are no keywords."""
    yield schema
    for child in schema.get("properties", {}).values():
        yield from nodes(child)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from nodes(schema[key])


def broken_rules(parameters: dict[str, Any], rules: dict[str, Rule]) -> set[str]:
    return {name for node in nodes(parameters) for name, breaks in rules.items() if breaks(node)}


def test_every_profile_has_a_row():
    assert SERVERS.keys() == PROFILES.keys()


@pytest.mark.parametrize("profile", PROFILES)
async def test_the_tools_of_a_request_are_what_its_server_takes(sent_tools, profile):
    sent = await sent_tools(profile, CANONICAL)
    tools = json.loads(sent)
    assert len(tools) == len(CANONICAL) <= MAX_TOOLS
    assert len(sent) <= MAX_BYTES
    for tool, spec in zip(tools, CANONICAL, strict=True):
        assert tool.keys() == {"type", "function"}
        assert tool["function"].keys() == {"name", "description", "parameters"}
        assert re.fullmatch(rf"[A-Za-z_][A-Za-z0-9_-]{{0,{MAX_NAME - 1}}}", tool["function"]["name"])
        assert tool["function"]["description"]
        parameters = tool["function"]["parameters"]
        assert parameters["type"] == "object"
        assert parameters["properties"].keys() == spec.parameters["properties"].keys()
        assert all(not FORBIDDEN_ANYWHERE & node.keys() for node in nodes(parameters))
        assert broken_rules(parameters, SERVERS[profile]) == set()
        if SERVERS[profile] is ANY_SCHEMA:
            assert parameters == spec.parameters


@pytest.mark.parametrize("schema", WIDE.values(), ids=WIDE.keys())
@pytest.mark.parametrize("profile", [name for name, rules in SERVERS.items() if rules is not ANY_SCHEMA])
async def test_a_wider_schema_is_narrowed_to_what_the_server_takes(sent_tools, profile, schema):
    spec = ToolSpec(name="wide", description="Wide.", parameters={"type": "object", **schema})
    [tool] = json.loads(await sent_tools(profile, [spec]))
    assert broken_rules(tool["function"]["parameters"], SERVERS[profile]) == set()


def test_the_rules_find_what_they_are_for():
    """The four tools as they stand break each rule that they could break."""
    found = set().union(*(broken_rules(spec.parameters, NO_COUNTS) for spec in CANONICAL))
    found |= {name for schema in WIDE.values() for name in broken_rules(schema, ONE_TYPE)}
    assert found >= NO_COUNTS.keys() - {"an object without properties"}
    assert broken_rules({"type": "object"}, ONE_TYPE) == {"an object without properties"}
