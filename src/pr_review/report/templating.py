"""Jinja templates that print Markdown.

Whatever a template prints goes through ``markdown.inline``, unless a filter made it Markdown already: a
forgotten filter gives an ugly page, never an open one.
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pr_review.domain.text import shorten
from pr_review.report import markdown

if TYPE_CHECKING:
    from jinja2 import Environment, Template

TEMPLATES = Path(__file__).parent / "templates"


def template(name: str, globals_: Mapping[str, Any]) -> "Template":
    """A packaged template, compiled once; ``globals_`` are seen in its macros too."""
    return _environment().get_template(name, globals=dict(globals_))


def quote(text: str) -> str:
    """A block quote of Markdown."""
    return "\n".join(f"> {line}" for line in text.split("\n"))


def hang(text: str) -> str:
    """Markdown as the content of a list item: further lines are indented below the first."""
    return text.replace("\n", "\n  ")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 -- start-up: reports only
    from markupsafe import Markup  # noqa: PLC0415 -- start-up: reports only

    # Markup here means "Markdown already, do not escape", in the place of Jinja's "HTML already".
    def marked(function: Callable[..., str]) -> Callable[..., Markup]:
        return lambda text, *options: Markup(function(str(text), *options))  # noqa: S704 -- escaped by then

    def escaped(value: object) -> object:
        return value if isinstance(value, Markup | int) else Markup(markdown.inline(str(value)))  # noqa: S704

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    to_markdown: dict[str, Callable[..., str]] = {
        "block": markdown.block,
        "cell": markdown.cell,
        "code": markdown.code,
        "code_block": markdown.code_block,
        "code_cell": partial(markdown.code, in_cell=True),
        "html": markdown.html,
        "link": markdown.link,
        "hang": hang,
        "quote": quote,
    }
    environment.filters.update({name: marked(function) for name, function in to_markdown.items()})
    environment.filters["shorten"] = shorten
    return environment
