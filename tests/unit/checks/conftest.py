"""A linter, a source whose lines are all added, and the sample repository."""

import importlib.util
from collections.abc import Callable, Collection
from pathlib import Path
from types import ModuleType

import pytest

from pr_review.checks.ruff import Ruff, find_ruff
from pr_review.checks.source import Source

BUILDER = Path(__file__).parents[3] / "examples" / "build_sample.py"


@pytest.fixture(scope="session")
def ruff_at(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Ruff]:
    """A linter with this executable; ten seconds are left of its run, or as many as given."""

    def make(binary: Path, remaining: float = 10, **options: float) -> Ruff:
        return Ruff(binary, tmp_path_factory.mktemp("scratch"), lambda: remaining, **options)

    return make


@pytest.fixture(scope="session")
def linter(ruff_at: Callable[..., Ruff]) -> Ruff:
    """The installed ruff."""
    binary = find_ruff()
    assert binary is not None
    return ruff_at(binary, 600)


@pytest.fixture(scope="session")
def make_source() -> Callable[..., Source]:
    """A source of a text; without ``added`` every line of it was added."""

    def make(path: str, text: str, added: Collection[int] | None = None) -> Source:
        lines = dict(enumerate(text.split("\n"), start=1))
        return Source(path, text, {n: line for n, line in lines.items() if added is None or n in added})

    return make


@pytest.fixture(scope="session")
def build_sample() -> ModuleType:
    """The module ``examples/build_sample.py``."""
    spec = importlib.util.spec_from_file_location("build_sample", BUILDER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up by name
    import sys

    sys.modules["build_sample"] = module
    spec.loader.exec_module(module)
    return module
