"""Every regular expression of the package, how it is used, and texts that are made to keep it busy."""

import ast
import importlib
import inspect
import pkgutil
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import pr_review

ROOT = Path(pr_review.__file__).parent
FUNCTIONS = {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}
ANCHORED = {"match", "fullmatch"}


@dataclass(frozen=True)
class Expression:
    """A pattern, where it stands, and whether it is only ever tried at one place of a text."""

    where: str
    pattern: re.Pattern[Any]
    is_anchored: bool = False

    def run(self, text: str) -> None:
        """Work through the text as the package does: all matches, or the one at its start."""
        subject = text.encode() if isinstance(self.pattern.pattern, bytes) else text
        if self.is_anchored:
            self.pattern.match(subject)
            self.pattern.fullmatch(subject)
        else:
            for _ in self.pattern.finditer(subject):
                pass


def modules() -> list[ModuleType]:
    """All modules of the package, imported."""
    names = [each.name for each in pkgutil.walk_packages(pr_review.__path__, "pr_review.")]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


def expressions() -> list[Expression]:
    """Compiled ones of every module, in tables too, and those that functions use as text."""
    found: dict[tuple[Any, int, bool], Expression] = {}
    for module in modules():
        source = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
        anchored = _anchored_names(source)
        for name, value in vars(module).items():
            if callable(value) and getattr(value, "__module__", "") != module.__name__:
                continue  # another module's
            for pattern in _patterns(value, set()):
                each = Expression(f"{module.__name__}.{name}", pattern, name in anchored)
                found.setdefault((pattern.pattern, pattern.flags, each.is_anchored), each)
        for text, function in _texts(source):
            each = Expression(f"{module.__name__} (in a function)", re.compile(text), function in ANCHORED)
            found.setdefault((text, each.pattern.flags, each.is_anchored), each)
    return list(found.values())


def texts_from_tables() -> set[str]:
    """``module: function`` of every pattern that is compiled where it is used and is no literal."""
    return {
        f"{path.relative_to(ROOT).with_suffix('').as_posix()}: {function.name}"
        for path in ROOT.rglob("*.py")
        for function in _functions(ast.parse(path.read_text(encoding="utf-8")))
        for call in _calls(function)
        if not _is_text(call.args[0])
    }


def _patterns(value: object, seen: set[int]) -> Iterator[re.Pattern[Any]]:
    """The compiled patterns that an object holds, or that a cached function without parameters returns."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from _all_patterns([*value.keys(), *value.values()], seen)
    elif isinstance(value, list | tuple | set | frozenset):
        yield from _all_patterns(value, seen)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from _all_patterns([getattr(value, each.name) for each in fields(value)], seen)
    elif hasattr(value, "cache_info") and not inspect.signature(value).parameters:  # type: ignore[arg-type]
        yield from _patterns(value(), seen)  # type: ignore[operator]


def _all_patterns(values: Iterable[object], seen: set[int]) -> Iterator[re.Pattern[Any]]:
    for value in values:
        yield from _patterns(value, seen)


def _functions(source: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(source) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _anchored_names(source: ast.Module) -> set[str]:
    """Names whose every use is a call of ``match`` or ``fullmatch``."""
    uses: dict[str, set[str]] = {}
    called = {id(node.value) for node in ast.walk(source) if isinstance(node, ast.Attribute)}
    for node in ast.walk(source):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            uses.setdefault(node.value.id, set()).add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            uses.setdefault(node.id, set()).add("as a value")
    return {name for name, methods in uses.items() if methods <= ANCHORED}


def _calls(source: ast.AST) -> Iterator[Any]:
    for node in ast.walk(source):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in FUNCTIONS
        ):
            yield node


def _texts(source: ast.Module) -> Iterator[tuple[str, str]]:
    for call in _calls(source):
        if call.func.attr != "compile" and _is_text(call.args[0]):
            yield call.args[0].value, call.func.attr


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


# --- texts that keep a pattern busy -------------------------------------------------------------------------


def pieces(pattern: re.Pattern[Any], limit: int = 60) -> list[tuple[str, str]]:
    """Pairs of a beginning and what is repeated after it, made from the pattern's own parts.

    A sample is what the pattern matches; its parts match in part, again and again, and never as a whole.
    """
    chance = random.Random(1)
    text = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    tree = _parser.parse(
        text, pattern.flags & ~re.UNICODE & ~re.ASCII if isinstance(pattern.pattern, str) else 0
    )
    samples = {_sample(tree, chance) for _ in range(12)}
    alphabet = sorted({character for sample in samples for character in sample})[:24]
    repeated: dict[tuple[str, str], None] = {}
    for character in [*alphabet, " ", "\n", "a", "0", "_", "`"]:
        repeated[("", character)] = None
    for sample in sorted(samples):
        for cut in {len(sample), len(sample) - 1, len(sample) // 2, *range(1, min(len(sample), 8))}:
            prefix = sample[:cut]
            if prefix:
                repeated[("", prefix)] = None
                repeated[("", prefix + "\n")] = None
                for character in {prefix[-1], " ", "a"}:
                    repeated[(prefix, character)] = None
    return list(repeated)[: limit * 4]


def _sample(tree: Any, chance: random.Random) -> str:
    return "".join(_part(operation, argument, chance) for operation, argument in tree)


def _part(operation: Any, argument: Any, chance: random.Random) -> str:  # noqa: PLR0911 -- one line an operation
    if operation is sre.LITERAL:
        return chr(argument)
    if operation is sre.NOT_LITERAL:
        return "x" if argument != ord("x") else "y"
    if operation is sre.ANY:
        return "x"
    if operation is sre.IN:
        return _of_class(argument, chance)
    if operation is sre.BRANCH:
        return _sample(chance.choice(argument[1]), chance)
    if operation is sre.SUBPATTERN:
        return _sample(argument[3], chance)
    if operation is sre.ATOMIC_GROUP:
        return _sample(argument, chance)
    if operation in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
        low, high, inner = argument
        times = min(max(low, chance.choice([0, 1, 2])), int(high), 64)
        return "".join(_sample(inner, chance) for _ in range(times))
    return ""


def _of_class(items: Any, chance: random.Random) -> str:
    kinds = {sre.CATEGORY_DIGIT: "1", sre.CATEGORY_SPACE: " ", sre.CATEGORY_WORD: "a"}
    if items[0][0] is sre.NEGATE:
        refused = {chr(argument) for operation, argument in items if operation is sre.LITERAL}
        return next((each for each in "x. -1" if each not in refused), "\u2603")
    operation, argument = chance.choice(items)
    if operation is sre.RANGE:
        return chr(argument[0])
    return chr(argument) if operation is sre.LITERAL else kinds.get(argument, ".")
