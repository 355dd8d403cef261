"""Recognises a ``try`` of Python that only gives something up, where a swallowed exception hides nothing."""

import re
from collections.abc import Sequence

MAX_STATEMENTS = 5

_VERBS = (
    "close|aclose|rollback|disconnect|quit|shutdown|terminate|kill|killpg|cancel|after_cancel|destroy|stop|unlink|"
    "remove|removedirs|rmdir|rmtree|release|join|detach|unbind|unregister|unsubscribe|logout|cleanup|clean_up|"
    "teardown|tear_down|dispose|closesocket"
)
_CLEAN_UP = re.compile(
    rf"(?:await[ \t]+)?(?:[A-Za-z_][\w.]{{0,100}}(?:\[[^\[\]\n]{{0,60}}\])?\.)?_*"
    rf"(?:{_VERBS})\([^()\n]{{0,200}}(?:\([^()\n]{{0,100}}\)[^()\n]{{0,100}}){{0,3}}\)"
    r"|[\w.]{1,100}[ \t]*=[ \t]*None|del[ \t]+[\w.\[\], ]{1,100}"
)


def only_cleans_up(lines: Sequence[str], handler: int) -> bool:
    """Whether the ``try`` before the ``except`` on line ``handler`` (from 1) only releases something."""
    if not 0 < handler <= len(lines):
        return False
    indent = _indent(lines[handler - 1])
    body: list[str] = []
    for line in reversed(lines[: handler - 1]):
        text = line.partition(" #")[0].strip()
        if not text or text.startswith("#"):
            continue
        if _indent(line) <= indent:
            return _indent(line) == indent and text == "try:" and bool(body) and all(map(_is_clean_up, body))
        body.append(text)
        if len(body) > MAX_STATEMENTS:
            return False
    return False


def _is_clean_up(statement: str) -> bool:
    return bool(_CLEAN_UP.fullmatch(statement))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
