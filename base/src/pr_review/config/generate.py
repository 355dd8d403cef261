"""Rewrites the parts of other files that repeat the declaration of inputs.

``make inputs`` runs ``python -m pr_review.config.generate ROOT``, where ROOT is the folder of the repository.
A part stands between two marker lines that name it. Everything outside the markers stays as it is.
"""

import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pr_review.config.declaration import Input, Secret
from pr_review.config.default_excludes import DEFAULT_EXCLUDES
from pr_review.config.file_schema import KEYS
from pr_review.config.inputs import INPUTS
from pr_review.config.parsers import Integer

YAML_WIDTH = 104  # columns of a description in action.yml


class Part(NamedTuple):
    """A generated part: the file's path below the root, the part's name in the markers, and its lines."""

    path: str
    name: str
    render: Callable[[Sequence[Input]], Iterator[str]]


def action_inputs(inputs: Sequence[Input]) -> Iterator[str]:
    """The inputs of ``action.yml``."""
    for item in inputs:
        yield f"  {item.name}:"
        yield "    description: >-"
        yield from textwrap.wrap(
            f"{item.description} Default: {item.shown_default}.",
            YAML_WIDTH,
            initial_indent=" " * 6,
            subsequent_indent=" " * 6,
            break_long_words=False,
            break_on_hyphens=False,
        )
        yield "    required: false"
        yield "    default: " + (item.action_default or '""')


def workflow_inputs(inputs: Sequence[Input]) -> Iterator[str]:
    """The inputs of the reusable workflow."""
    for item in inputs:
        if item.workflow == "input":
            yield f"      {item.name}:"
            yield "        description: See docs/configuration.md."
            yield "        type: string"
            yield "        required: false"
            yield '        default: ""'


def workflow_secrets(inputs: Sequence[Input]) -> Iterator[str]:
    """The secrets of the reusable workflow."""
    for item in inputs:
        if isinstance(item.workflow, Secret):
            yield f"      {item.workflow.name}:"
            yield f"        description: {item.workflow.description}"
            yield "        required: false"


def workflow_with(inputs: Sequence[Input]) -> Iterator[str]:
    """What the reusable workflow passes to the action."""
    for item in inputs:
        if isinstance(item.workflow, Secret):
            yield f"          {item.name}: ${{{{ secrets.{item.workflow.name} }}}}"
        elif item.workflow == "input":
            yield f"          {item.name}: ${{{{ inputs.{item.name} }}}}"


def inputs_table(inputs: Sequence[Input]) -> Iterator[str]:
    """The Markdown table of all inputs."""
    yield from _header("input", "default", "meaning")
    for item in inputs:
        yield f"| `{item.name}` | {item.shown_default} | {item.description} |"


def limits_table(inputs: Sequence[Input]) -> Iterator[str]:
    """The Markdown table of the ranges of numbers."""
    yield from _header("input", "from", "to")
    for item in inputs:
        if isinstance(item.parse, Integer):
            yield f"| `{item.name}` | {item.parse.low:,} | {item.parse.high:,} |"


def aliases_table(inputs: Sequence[Input]) -> Iterator[str]:
    """The Markdown table of the environment variables beside ``INPUT_``."""
    yield from _header("variable", "input")
    for item in inputs:
        for alias in item.aliases:
            yield f"| `{alias}` | `{item.name}` |"


def file_keys_table(_: Sequence[Input]) -> Iterator[str]:
    """The Markdown table of the keys of ``.github/pr-review.yml``."""
    yield from _header("key", "type", "meaning")
    for key in KEYS:
        yield f"| `{key.name}` | {key.type} | {key.meaning} |"


def default_excludes(_: Sequence[Input]) -> Iterator[str]:
    """The Markdown list of the built-in exclusions."""
    for kind, patterns in DEFAULT_EXCLUDES.items():
        yield f"- {kind}: " + ", ".join(f"`{pattern}`" for pattern in patterns)


def dotenv_lines(inputs: Sequence[Input]) -> Iterator[str]:
    """The variables of ``.env.example`` with their defaults, commented out."""
    for item in inputs:
        for alias in item.aliases:
            yield f"# {alias}={item.default}"


PARTS: tuple[Part, ...] = (
    Part("action.yml", "inputs", action_inputs),
    Part(".github/workflows/review.yml", "inputs", workflow_inputs),
    Part(".github/workflows/review.yml", "secrets", workflow_secrets),
    Part(".github/workflows/review.yml", "with", workflow_with),
    Part("README.md", "inputs", inputs_table),
    Part("docs/configuration.md", "inputs", inputs_table),
    Part("docs/configuration.md", "limits", limits_table),
    Part("docs/configuration.md", "default-excludes", default_excludes),
    Part("docs/configuration.md", "aliases", aliases_table),
    Part("docs/configuration.md", "file-keys", file_keys_table),
    Part(".env.example", "aliases", dotenv_lines),
)


def replace_part(text: str, part: Part, inputs: Sequence[Input] = INPUTS) -> str:
    """Return the file's text with the part rendered anew.

    Empty lines beside the markers stay. Raises ``ValueError`` unless the markers stand in the text once.
    """
    opening, closing = _markers(part)
    pattern = re.compile(rf"({opening}\n\n?)(?:[^\n]*\n)*?(\n?{closing}\n)")
    if any(len(re.findall(each, text)) != 1 for each in (opening, closing, pattern)):
        raise ValueError(f"{part.path} must hold the markers of the part {part.name!r} once.")
    body = "".join(f"{line}\n" for line in part.render(inputs))
    return pattern.sub(lambda match: match[1] + body + match[2], text)


def rewrite(root: Path) -> None:
    """Rewrite every part of the files below ``root``."""
    for part in PARTS:
        path = root / part.path
        path.write_text(replace_part(path.read_text(encoding="utf-8"), part), encoding="utf-8")


def _markers(part: Part) -> tuple[str, str]:
    """Regular expressions of the two marker lines; a comment may follow the name in the first."""
    if part.path.endswith(".md"):
        return rf"<!-- {part.name} -->", rf"<!-- /{part.name} -->"
    return rf" *# <{part.name}>[^\n]*", rf" *# </{part.name}>"


def _header(*columns: str) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)


if __name__ == "__main__":
    rewrite(Path(sys.argv[1]))
