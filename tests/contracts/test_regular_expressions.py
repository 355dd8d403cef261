"""No text of others keeps a regular expression busy: its time grows as the text does."""

import re

import pytest
from tests.contracts.regular_expressions import Expression, expressions, pieces, texts_from_tables
from tests.growth import cpu_seconds

from pr_review.checks.languages import LANGUAGES
from pr_review.checks.ruff_rules import load_rules
from pr_review.config.default_excludes import built_in_exclusions
from pr_review.llm.errors.rules import RULES
from pr_review.review.selection import _compile as compile_exclusion

SHORT = 2**10
SIZES = (2**9, 2**14)  # each is compared with sixteen times as much, so up to 256 KiB

# Patterns that are put together where they are used, and what they can be.
TABLES = {
    "checks/hosts: _compile": [],  # found in the loaded hosts
    "checks/languages: _compile": [
        re.compile(language.lexer, re.DOTALL | re.MULTILINE) for language in LANGUAGES
    ],
    "checks/leftovers: _pattern": [],  # found in its table
    "checks/ruff_rules: is_proven": [
        re.compile(rule.unless_code) for rule in load_rules().values() if rule.unless_code
    ],
    "checks/tls: _pattern": [],  # found in its table
    "config/generate: replace_part": [],  # reads this repository's own files only
    "findings/path_spelling: _before": [],  # found in its tables
    "llm/errors/classify: _matches": [re.compile(rule.phrases) for rule in RULES if rule.phrases],
    "llm/errors/classify: _named_parameter": [re.compile(r"\btop_p\b")],
    "masking/secrets: _patterns": [],  # found in its cached table
    "review/selection: _compile": [
        compile_exclusion(each).regex for each in built_in_exclusions() if each.files_only
    ],
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
    """Sixteen times the text takes more than 64 times as long, and long enough to be measured."""
    beginning, repeated = pair

    def seconds(length: int, times: int) -> float:
        text = beginning + repeated * (length // len(repeated))
        return cpu_seconds(lambda: expression.run(text), times)

    def is_slow(times: int) -> bool:
        long = seconds(16 * size, times)
        return long > max(0.002, 16 * size * 50e-9) and long > 64 * seconds(size, times)

    return is_slow(1) and is_slow(3)  # when in doubt once more: another process may have emptied the caches


def test_every_expression_is_linear():
    """Tried on texts made from its own parts: first on 1 KiB, then the worst of them on up to 256 KiB."""
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
