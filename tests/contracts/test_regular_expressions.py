"""No text of others keeps a regular expression busy: twice the text takes about twice the time."""

import re

import pytest
from tests.contracts.regular_expressions import Expression, expressions, pieces, texts_from_tables
from tests.growth import cpu_seconds

from pr_review.checks.languages import LANGUAGES
from pr_review.checks.ruff import load_rules
from pr_review.llm.errors.rules import RULES

SHORT = 2**10
SIZES = (2**11, 2**18)  # each is compared with four times as much, so up to 1 MiB

# Patterns that are put together where they are used, and what they can be.
TABLES = {
    "checks/languages: _compile": [
        re.compile(language.lexer, re.DOTALL | re.MULTILINE) for language in LANGUAGES
    ],
    "checks/leftovers: _pattern": [],  # found in its table
    "checks/ruff: is_proven": [
        re.compile(rule.unless_code) for rule in load_rules().values() if rule.unless_code
    ],
    "checks/tls: _pattern": [],  # found in its table
    "config/generate: replace_part": [],  # reads this repository's own files only
    "llm/errors/classify: _matches": [re.compile(rule.phrases) for rule in RULES if rule.phrases],
    "llm/errors/classify: _named_parameter": [re.compile(r"\btop_p\b")],
    "masking/secrets: _patterns": [],  # found in its cached table
}


def everything() -> list[Expression]:
    of_tables = [Expression(name, pattern) for name, patterns in TABLES.items() for pattern in patterns]
    return [*expressions(), *of_tables]


def worst(expression: Expression) -> tuple[str, str]:
    """The beginning and the repeated part that cost the most."""

    def cost(pair: tuple[str, str]) -> float:
        beginning, repeated = pair
        return cpu_seconds(lambda: expression.run(beginning + repeated * (SHORT // len(repeated))))

    return max(pieces(expression.pattern), key=cost)


def grows_faster_than_the_text(expression: Expression, pair: tuple[str, str], size: int) -> bool:
    """Four times the text takes more than eight times as long, and long enough to be measured."""
    beginning, repeated = pair

    def seconds(length: int, times: int) -> float:
        text = beginning + repeated * (length // len(repeated))
        return cpu_seconds(lambda: expression.run(text), times)

    def is_slow(times: int) -> bool:
        long = seconds(4 * size, times)
        return long > max(0.002, 4 * size * 50e-9) and long > 8 * seconds(size, times)

    return is_slow(1) and is_slow(3)  # when in doubt once more: another process may have emptied the caches


def test_every_expression_is_linear():
    """Tried on texts made from its own parts: first on 1 KiB, then the worst of them on up to 1 MiB."""
    slow = []
    for expression in everything():
        pair = worst(expression)
        if any(grows_faster_than_the_text(expression, pair, size) for size in SIZES):
            slow.append((expression.where, expression.pattern.pattern, pair))
    assert slow == []


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\s*<a>", r"<<.*?>>", r"\w+@\w+", r"\[[^\]]*\]\(", r"(?:a|b)*c\b", r"https?:\S+\.git"),
        *(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)x", r"^```.*?^```$"),
    ],
)
def test_what_is_not_linear_is_noticed(pattern):
    """Habits of expressions that were written in good faith."""
    expression = Expression("here", re.compile(pattern, re.MULTILINE | re.DOTALL))
    assert grows_faster_than_the_text(expression, worst(expression), SIZES[0])


def test_every_table_of_expressions_is_known():
    """A pattern that is compiled from a variable stands in ``TABLES``, with what it can be."""
    assert texts_from_tables() == TABLES.keys()


def test_the_package_has_expressions():
    """The walk over modules finds those that stand alone, in tables and in functions."""
    found = {each.where for each in expressions()}
    assert {"pr_review.domain.text._INVISIBLE", "pr_review.checks.leftovers.TABLE"} <= found
    assert "pr_review.report.markdown (in a function)" in found
