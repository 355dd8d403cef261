from pathlib import Path

from markdown_it import MarkdownIt

from pr_review.checks import page, registry
from pr_review.checks.ruff_rules import load_rules

PAGE = Path(__file__).parents[3] / "docs" / "checks.md"


def test_the_page_is_what_the_tables_say():
    """Red? Run: python -m pr_review.checks.page > docs/checks.md"""
    assert PAGE.read_text(encoding="utf-8") == page.render()


def test_every_check_has_a_section():
    headings = [line.removeprefix("## ") for line in page.render().splitlines() if line.startswith("## ")]
    assert headings == list(registry.NAMES)


def test_every_rule_has_a_row_of_six_cells():
    tokens = MarkdownIt("commonmark").enable("table").parse(page.render())
    cells = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "td_open"]
    assert len(cells) % 6 == 0
    codes = {cell.strip("`") for cell in cells[::6]}
    assert codes >= {
        *load_rules(),
        "conflict-marker",
        "debugger-left",
        "focused-test",
        "tls-verification-off",
    }
