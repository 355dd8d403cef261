"""docs/errors.md documents every error code that the program can give, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from pr_review.errors import TerminationReason
from pr_review.git import fetch

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/pr_review"

# Classes whose first argument is a code, or a termination reason that stands for one; the provider's and
# GitHub's errors are made of the records `FailureKind` and `ApiFailure`.
CODED = {
    "ApiFailure",
    "ConfigError",
    "ContextOverflow",
    "FailureKind",
    "HostError",
    "InvalidTurn",
    "ModelError",
    "PartialReview",
    "PrReviewError",
    "ProviderFailure",
    "RepositoryError",
    "ReviewError",
    "ReviewStopped",
    "Skipped",
}
TOOL_CODED = {"ToolFailure"}

# Expressions that compute a code, with the codes that each can give. An expression that is missing here fails
# the test, so a new one must list its codes.
DYNAMIC = {
    "f'skipped_{kind}'": {"skipped_draft", "skipped_label", "skipped_author", "skipped_sender"},
    "*next(known, UNKNOWN)": {fetch.UNKNOWN[0], *(error[0] for _, error in fetch.FAILURES)},
}
# Names that only pass on a record or a reason. Its code is found where the record is created.
PASSED_ON = re.compile(
    r"(TerminationReason\.)?[A-Z_]+|replace\([A-Z_]+, .+\)|(self|error|first)\.code|kind(\.reason)?"
    r"|reason(\.value)?|reply"
)
VENDORS = ("opencode", "provider")  # the first belongs to the opencode profile, the second to all others
REASONS = {reason.value for reason in TerminationReason}


def made(classes: set[str]) -> Iterator[tuple[str, ast.expr]]:
    """The expression of each code that one of the classes gets, with its module."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in classes and node.args:
                named = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
                yield str(path.relative_to(PACKAGE)), (named or node.args)[0]


def codes_of(expression: ast.expr) -> set[str] | None:
    """The codes that an expression can give; None when the expression is unknown."""
    if isinstance(expression, ast.Constant):
        return {str(expression.value).format(vendor=vendor) for vendor in VENDORS}
    text = ast.unparse(expression)
    if text in DYNAMIC:
        return DYNAMIC[text]
    return set() if PASSED_ON.fullmatch(text) else None


def given(classes: set[str]) -> set[str]:
    found = [codes_of(expression) for _, expression in made(classes)]
    return set().union(*(codes for codes in found if codes is not None))


def of_error_classes() -> set[str]:
    """The codes that classes in errors.py set themselves."""
    tree = ast.parse((PACKAGE / "errors.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    inits = [call for call in calls if ast.unparse(call.func) == "super().__init__"]
    return {str(call.args[0].value) for call in inits if isinstance(call.args[0], ast.Constant)}


def documented(section: str) -> dict[str, list[str]]:
    """Map each code between the section's markers to the other cells of its row."""
    text = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
    body = text.split(f"<!-- {section} -->")[1].split(f"<!-- /{section} -->")[0]
    rows = re.findall(r"^\| `(\w+)` \|(.+)\|$", body, re.MULTILINE)
    assert len(rows) == len({code for code, _ in rows}), "each code once"
    return {code: [cell.strip() for cell in rest.split(" | ")] for code, rest in rows}


def test_every_code_can_be_told_from_the_source():
    """DYNAMIC must list every computed code with its values."""
    unknown = [
        (module, ast.unparse(code)) for module, code in made(CODED | TOOL_CODED) if codes_of(code) is None
    ]
    assert unknown == []


def test_the_page_lists_exactly_the_codes_of_the_program():
    """Each row says what happened and what to do."""
    rows = documented("codes")
    assert sorted(rows) == sorted(given(CODED) | of_error_classes() | REASONS)
    assert [code for code, cells in rows.items() if len(cells) != 2 or not all(cells)] == []


def test_the_page_lists_exactly_the_codes_of_the_tools():
    """The model reads these codes and continues."""
    rows = documented("tool-codes")
    assert sorted(rows) == sorted(given(TOOL_CODED))
    assert all(cells[0] for cells in rows.values())
