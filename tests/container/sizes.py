"""Measures the parts of the image; `python -m tests.container.sizes` rewrites the table in docs/image.md."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.container.engine import PINNED_BASE, ROOT, TAG, Engine, find_engine

PAGE = ROOT / "docs" / "image.md"
TABLE = re.compile(r"(?<=<!-- sizes -->\n).*?(?=<!-- /sizes -->)", re.DOTALL)
SHOWN = 8  # distributions with their own row
SURVEY = Path(__file__).with_name("survey.py")


@dataclass(frozen=True)
class Sizes:
    """Unpacked bytes: the total, the base's part, the additions, and the packages by size."""

    total: int
    base: int
    git: int
    bytecode: int
    packages: Mapping[str, int]

    def rows(self) -> Iterator[tuple[str, int]]:
        """A label and bytes for each row; the last row is the sum of the others."""
        yield "base: Debian and Python", self.base
        yield "git and the libraries it needs, without Perl's", self.git
        yield "byte code of the standard library", self.bytecode
        ordered = sorted(self.packages.items(), key=lambda item: -item[1])
        yield from ordered[:SHOWN]
        yield f"{len(ordered) - SHOWN} smaller packages", sum(size for _, size in ordered[SHOWN:])
        yield "**together**", self.total


def measure(engine: Engine, tag: str) -> Sizes:
    """Measure the files of the image ``tag`` and of its base image."""
    reference = PINNED_BASE.findall((ROOT / "Dockerfile").read_text(encoding="utf-8"))[-1][0]
    base = _survey(engine, engine.bases.get(reference, reference), "python3")["kinds"]
    found = _survey(engine, tag, "/opt/pr-review/bin/python")
    kinds = found["kinds"]
    return Sizes(
        total=sum(kinds.values()),
        base=sum(base.values()),
        git=kinds["system"] - base["system"],
        bytecode=kinds["bytecode"] - base.get("bytecode", 0),
        packages=found["packages"],
    )


def _survey(engine: Engine, tag: str, python: str) -> dict[str, Any]:
    text = SURVEY.read_text(encoding="utf-8")
    command = ("--network", "none", "--entrypoint", python, tag, "-I", "-B", "-c", text)
    surveyed: dict[str, Any] = json.loads(engine.run("run", "--rm", *command))
    return surveyed


def table(sizes: Sizes) -> str:
    """Render the table as Markdown."""
    rows = "".join(f"| {label} | {size / 1e6:.1f} |\n" for label, size in sizes.rows())
    return f"| | MB |\n| --- | ---: |\n{rows}"


if __name__ == "__main__":
    found = find_engine(ROOT / "Dockerfile")
    found.build(ROOT, TAG)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(measure(found, TAG)), page), encoding="utf-8")
