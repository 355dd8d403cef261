"""Programs that run a Python file with names of their own, from ``hosts.toml``.

A notebook, a documentation build or a task runner puts names into the files that it runs. So an undefined
name there proves nothing if the host defines it; any other undefined name stays a defect.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

from pr_review.checks.source import Source

MAX_DECLARATIONS = 1000
HOST_RULES = frozenset({"F706", "PLE1142"})  # of ruff, about statements that a host may allow

_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Host:
    """A host, how its files are recognised, and what it gives them; ``hosts.toml`` explains the fields."""

    code: str
    source: str
    names: tuple[str, ...]
    rules: frozenset[str]
    path: re.Pattern[str] | None
    text: re.Pattern[str] | None
    declares: re.Pattern[str] | None

    def runs(self, source: Source) -> bool:
        """Whether the file belongs to this host."""
        if self.path and not self.path.search(source.path):
            return False
        return not self.text or bool(self.text.search(source.text or ""))

    def declared(self, source: Source) -> Iterator[str]:
        """The names that the file asks its host for."""
        matches = self.declares.finditer(source.text or "") if self.declares else iter(())
        for match in islice(matches, MAX_DECLARATIONS):
            for group in match.groups():
                yield from _NAME.findall(group or "")


@dataclass(frozen=True)
class Given:
    """What the hosts of one file give it; in ``patterns`` a star stands for any text."""

    names: frozenset[str]
    patterns: tuple[str, ...]
    rules: frozenset[str]

    def defines(self, name: str) -> bool:
        """Whether a host defines the name."""
        return name in self.names or any(fnmatchcase(name, pattern) for pattern in self.patterns)


@cache
def load_hosts() -> tuple[Host, ...]:
    """Load ``hosts.toml``."""
    text = files(__package__).joinpath("hosts.toml").read_text(encoding="utf-8")
    return tuple(_host(code, row) for code, row in tomllib.loads(text).items())


def given_to(source: Source) -> Given:
    """What all hosts that run this file give it."""
    return given_by(load_hosts(), source)


def given_by(hosts: Iterable[Host], source: Source) -> Given:
    """What those of ``hosts`` that run this file give it."""
    running = [host for host in hosts if host.runs(source)]
    names = {name for host in running for name in (*host.names, *host.declared(source))}
    patterns = {name for name in names if "*" in name}
    rules = {rule for host in running for rule in host.rules}
    return Given(frozenset(names - patterns), tuple(sorted(patterns)), frozenset(rules))


def _host(code: str, row: dict[str, Any]) -> Host:
    return Host(
        code=code,
        source=row["source"],
        names=tuple(row["names"].split()),
        rules=frozenset(row.get("rules", ())),
        path=_compile(row.get("path")),
        text=_compile(row.get("text")),
        declares=_compile(row.get("declares")),
    )


def _compile(pattern: str | None) -> re.Pattern[str] | None:
    return re.compile(pattern, re.MULTILINE) if pattern else None
