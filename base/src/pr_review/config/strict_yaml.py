"""A YAML loader that refuses tags, anchors and duplicate keys, reads dates as texts, and knows lines."""

from collections.abc import Iterator
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

Path = tuple[str | int, ...]  # keys and indexes, from the top


class YamlProblem(ValueError):
    """The text is not the YAML that we accept. ``line`` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def load_mapping(text: str) -> tuple[dict[str, Any], dict[Path, int]]:
    """Return the document, a mapping with text keys, and the line of each key and each item of a list.

    An empty document is an empty mapping. Raises ``YamlProblem``. Anchors are refused, so a small text cannot
    expand to a huge document (https://en.wikipedia.org/wiki/Billion_laughs_attack).
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


def _load(text: str) -> tuple[dict[str, Any], dict[Path, int]]:
    loader = _Loader(text)
    node = loader.get_single_node()
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return {}, {}
    if not isinstance(node, MappingNode):
        raise YamlProblem("must be a mapping of keys to values", 1)
    lines = dict(_lines(node, ()))
    return loader.construct_document(node), lines


def _lines(node: Node, path: Path) -> Iterator[tuple[Path, int]]:
    children: list[tuple[str | int, Node, Node]] = []
    if isinstance(node, MappingNode):
        children = [(_key(key), key, value) for key, value in node.value]
    elif isinstance(node, SequenceNode):
        children = [(index, item, item) for index, item in enumerate(node.value)]
    for name, place, child in children:
        yield (*path, name), _line(place)
        yield from _lines(child, (*path, name))


class _Loader(yaml.SafeLoader):
    # PyYAML raises an error without a line for a date that does not exist. So dates stay texts.
    yaml_implicit_resolvers = {  # noqa: RUF012 -- the base class's own mutable attribute
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

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
