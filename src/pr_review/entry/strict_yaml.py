"""YAML without its surprises: no tags, no anchors, no duplicate keys, and a line number for each key."""

from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode


class YamlProblem(ValueError):
    """The text is not the YAML we accept; ``line`` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def load_mapping(text: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the document, a mapping with text keys, and the line of each top-level key.

    An empty document is an empty mapping. Raises ``YamlProblem``. Anchors are refused, so a text cannot
    expand to more than it is ("billion laughs").
    """
    try:
        return _load(text)
    except YamlProblem:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        problem = str(error.problem)[:100]
        raise YamlProblem(f"not valid YAML ({problem})", mark.line + 1 if mark else 1) from error
    except (yaml.YAMLError, ValueError) as error:
        raise YamlProblem("not valid YAML", 1) from error
    except RecursionError as error:
        raise YamlProblem("nested too deeply", 1) from error


def _load(text: str) -> tuple[dict[str, Any], dict[str, int]]:
    loader = _Loader(text)
    node = loader.get_single_node()
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return {}, {}
    if not isinstance(node, MappingNode):
        raise YamlProblem("must be a mapping of keys to values", 1)
    lines = {_key(key): _line(key) for key, _ in node.value}
    return loader.construct_document(node), lines


class _Loader(yaml.SafeLoader):
    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None:
            raise YamlProblem("anchors and aliases are not supported", event.start_mark.line + 1)
        return super().compose_node(parent, index)

    def compose_mapping_node(self, anchor: Any) -> MappingNode:
        node = super().compose_mapping_node(anchor)
        seen: set[str] = set()
        for key, _ in node.value:
            if _key(key) in seen:
                raise YamlProblem(f"duplicate key {_key(key)[:40]!a}", _line(key))
            seen.add(_key(key))
        return node


def _key(node: Node) -> str:
    if not isinstance(node, ScalarNode) or node.tag != "tag:yaml.org,2002:str":
        raise YamlProblem("keys must be texts", _line(node))
    return str(node.value)


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1
