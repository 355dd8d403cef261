"""Which names a file defines itself, so that a word of a test framework there means another function.

The places are found by pattern, without a parser. A name holds in its block, which is the text between two
braces, or in the whole file. A name that is imported from a test framework is the framework's.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from pr_review.checks.languages import JAVASCRIPT, Views

_FRAMEWORK = re.compile(
    r"[^\n]*?(?:jest|vitest|mocha|jasmine|playwright|cypress|qunit|uvu|japa|testing/bdd|test-runner|"
    r"node:test|bun:test)[^\n]*|ava|tape|tap|lab|@hapi/lab|zora|test"
)
_MODULE = r"[\"'](?P<module>[^\"'\n]{0,300})[\"']"
_IMPORT = re.compile(rf"\bimport\b(?P<names>(?:(?!\bimport\b)[^;\"'`=()])*+){_MODULE}")
_DECLARATION = re.compile(
    r"\b(?:const|let|var)\b(?P<names>\s*+[{\[](?:(?!\b(?:const|let|var)\b)[^=;])*+(?==)|[^=;\n{\[]*+)"
    rf"(?:=(?![=>])\s*+(?:(?:await\s++)?(?:require|import)\(\s*+{_MODULE})?)?"
)
_FUNCTION = re.compile(r"\b(?:function\b\s*+\*?|(?:class|enum|namespace)\b)\s*+(?P<names>[\w$]++)")
_ASSIGNMENT = re.compile(r"^[ \t]*+(?P<names>[\w$]++)[ \t]*+=(?![=>~])", re.MULTILINE)
# Parameters of a function, a method or an arrow function, up to its body.
_PARAMETERS = re.compile(
    r"(?<!\bif )(?<!\bif)(?<!\bfor )(?<!\bwhile )(?<!\bswitch )\((?P<names>[^()]{0,500})\)"
    r"\s{0,20}(?::[^={};]{0,100})?(?:=>\s{0,20}\{?|\{)|(?<![\w.$])(?P<one>[\w$]++)\s{0,20}=>\s{0,20}\{?"
)
_LOOP = re.compile(r"\bfor\s{0,5}(?:await\s{0,5})?\(\s{0,5}\Z")

_DEFINITION = re.compile(
    r"\b(?:def|func|fn|function|class|macro_rules!|defmacro)\s++(?:self\.|\([^()\n]{0,200}\)\s{0,5})?(?P<names>\w++)"
)
_ASSIGNED = re.compile(r"^[ \t]*+(?P<names>\w++)[ \t]*+(?::=|=(?![=>~]))", re.MULTILINE)
_FROM = re.compile(r"^[ \t]*+from[ \t]++\S{1,300}[ \t]++import[ \t]++(?P<names>[^\n]*+)", re.MULTILINE)

_PIECES = re.compile(r"[{}\[\],;\n]")
_WORD = re.compile(r"[\w$]+")

Scope = tuple[int, int]


@dataclass
class Bindings:
    """The names that one file binds, and where they hold."""

    views: Views

    def binds(self, name: str, offset: int) -> bool:
        """Whether the file itself defines ``name`` where it is used at ``offset``."""
        return any(start <= offset < end for start, end in self._scopes.get(name, ()))

    @cached_property
    def _scopes(self) -> dict[str, list[Scope]]:
        scopes: dict[str, list[Scope]] = defaultdict(list)
        found = self._of_javascript() if self.views.language is JAVASCRIPT else self._of_others()
        for name, scope in found:
            scopes[name].append(scope)
        return scopes

    def _of_others(self) -> Iterator[tuple[str, Scope]]:
        for pattern in (_DEFINITION, _ASSIGNED, _FROM):
            for match in self._matches(pattern):
                for name in _WORD.findall(match["names"]):
                    yield name, (0, len(self.views.code) + 1)

    def _of_javascript(self) -> Iterator[tuple[str, Scope]]:
        for match in self._matches(_IMPORT):
            clause = match["names"].rstrip()
            if clause.endswith("from") and not _FRAMEWORK.fullmatch(match["module"]):
                yield from ((name, (0, len(self.views.code) + 1)) for name in _local_names(clause[:-4]))
        for match in self._matches(_DECLARATION):
            if not (match["module"] and _FRAMEWORK.fullmatch(match["module"])):
                scope = self._scope_of_declaration(match)
                yield from ((name, scope) for name in _local_names(match["names"]))
        for pattern in (_FUNCTION, _ASSIGNMENT):
            for match in self._matches(pattern):
                yield match["names"], self._block_around(match.start())
        for match in self._matches(_PARAMETERS):
            scope = self._scope_of_body(match)
            yield from ((name, scope) for name in _local_names(match["names"] or match["one"] or ""))

    def _matches(self, pattern: re.Pattern[str]) -> Iterable[re.Match[str]]:
        return (
            match
            for match in pattern.finditer(self.views.uncommented)
            if self.views.are_code(match.start(), match.start("names") if match["names"] else match.start())
        )

    def _scope_of_declaration(self, match: re.Match[str]) -> Scope:
        """The block around, or the body of a loop whose variable it is."""
        code = self.views.code
        if _LOOP.search(code[max(0, match.start() - 30) : match.start()]):
            head = code.find(")", match.start())
            body = code.find("{", head, head + 100) if head >= 0 else -1
            return self._block_around(body + 1) if body >= 0 else (match.start(), max(head, match.end()))
        return self._block_around(match.start())

    def _scope_of_body(self, match: re.Match[str]) -> Scope:
        """The block that the function opens, or the rest of the line."""
        if match[0].endswith("{"):
            return self._block_around(match.end())
        end = self.views.code.find("\n", match.end())
        return match.start(), end if end >= 0 else len(self.views.code) + 1

    def _block_around(self, offset: int) -> Scope:
        """The innermost block that holds ``offset``, or the whole file."""
        start = self._opened_before[offset] if offset < len(self._opened_before) else -1
        return self._blocks.get(start, (0, len(self.views.code) + 1))

    @cached_property
    def _blocks(self) -> dict[int, Scope]:
        """Blocks by the place of their brace; one that is never closed reaches to the end."""
        blocks: dict[int, Scope] = {}
        opened: list[int] = []
        for match in re.finditer(r"[{}]", self.views.code):
            if match[0] == "{":
                opened.append(match.start())
            elif opened:
                start = opened.pop()
                blocks[start] = (start, match.start())
        return blocks | {start: (start, len(self.views.code) + 1) for start in opened}

    @cached_property
    def _opened_before(self) -> list[int]:
        """For each offset the place of the brace whose block it is in, or -1."""
        places: list[int] = []
        opened = [-1]
        for offset, character in enumerate(self.views.code):
            if character == "}" and len(opened) > 1:
                opened.pop()
            places.append(opened[-1])
            if character == "{":
                opened.append(offset)
        return [*places, opened[-1]]


def _local_names(clause: str) -> Iterator[str]:
    """The names that an import, a declaration or a list of parameters binds.

    In ``{a as b}`` and ``{a: b}`` it is the last one; in ``a: Type = value`` it is the first one.
    """
    for piece in _PIECES.split(clause):
        words = _WORD.findall(piece.partition("=")[0])
        if words:
            yield words[-1] if " as " in piece or clause.lstrip().startswith(("{", "[")) else words[0]
