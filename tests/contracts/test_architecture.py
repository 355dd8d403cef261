"""Rules that hold for the whole source tree."""

import ast
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/pr_review"
MODULES = sorted(PACKAGE.rglob("*.py"))

# From the bottom: a package imports from the packages below its own row, never from its own row or above.
LAYERS = (
    ("__init__",),
    ("errors",),
    ("domain",),
    ("masking",),
    ("git", "checks", "llm", "github", "actions", "config"),
    ("tools",),
    ("findings", "conversation", "offline"),
    ("review", "report"),
    ("app",),
    ("__main__",),
)
RANK = {package: rank for rank, row in enumerate(LAYERS) for package in row}
COMPOSITION = ("app", "__main__")

# What only the composition root may ask: the environment, the clock, the working directory.
AMBIENT = re.compile(
    r"os\.(environ|environb|getenv|getcwd|getcwdb|chdir|times)|(pathlib\.)?Path\.(cwd|home)|time(\.\w+)?|"
    r"(datetime\.)?(datetime|date)\.(now|utcnow|today)"
)
# Third-party or standard modules with one home.
HOMES = {"github": ("github",), "subprocess": ("git", "checks"), "httpx": ("llm",), "ruff": ("checks",)}

MAX_FUNCTION_LINES = 60


def package_of(path: Path) -> str:
    """`app` for src/pr_review/app/x.py, `errors` for src/pr_review/errors.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[str]:
    """Dotted names imported anywhere in the module, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def upward_imports(own: str, tree: ast.Module) -> list[str]:
    inner = [name for name in imports(tree) if name.startswith("pr_review.")]
    packages = {name: name.split(".")[1] for name in inner}
    return [
        name for name, package in packages.items() if package != own and RANK.get(package, -1) >= RANK[own]
    ]


def ambient_uses(tree: ast.Module) -> list[str]:
    names = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return [name for name in (*names, *imports(tree)) if AMBIENT.fullmatch(name)]


def long_functions(tree: ast.Module) -> list[str]:
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > MAX_FUNCTION_LINES
    ]


def misplaced_imports(own: str, tree: ast.Module) -> list[str]:
    return [name for name in imports(tree) if own not in HOMES.get(name.split(".")[0], (own,))]


def offences(rule: Callable[[str, ast.Module], list[str]]) -> list[str]:
    """What a rule finds in each module, after the module's path."""
    return [
        f"{path.relative_to(PACKAGE)}: {found}"
        for path in MODULES
        for found in rule(package_of(path), parsed(path))
    ]


def test_imports_go_only_downwards():
    """The rows of ``LAYERS``; docs/architecture.md says what each package is for."""
    assert {package_of(path) for path in MODULES} == RANK.keys(), "give a new package its row"
    assert offences(upward_imports) == []


def test_nothing_below_app_asks_environment_clock_or_working_directory():
    """They are passed in."""
    assert offences(lambda package, tree: [] if package in COMPOSITION else ambient_uses(tree)) == []


def test_functions_stay_small():
    """At most 60 lines; about 10 is the aim."""
    assert offences(lambda _, tree: long_functions(tree)) == []


def test_each_outside_door_has_one_keeper():
    """PyGithub in github, processes in git and checks, HTTP in llm."""
    assert offences(misplaced_imports) == []


@pytest.mark.parametrize(
    "source",
    [
        "import os\nx = os.environ['A']",
        "from os import environ",
        "from os import getcwd",
        "import time",
        "from time import monotonic",
        "import time\ntime.sleep(1)",
        "from pathlib import Path\nPath.cwd()",
        "import pathlib\npathlib.Path.home()",
        "from datetime import datetime\ndatetime.now()",
        "import datetime\ndatetime.datetime.now()",
        "import datetime\ndatetime.date.today()",
        "import os\ndef f():\n    return os.getenv('A')",
    ],
)
def test_the_rule_sees_each_way_to_ask(source):
    """A guard of the guard."""
    assert ambient_uses(ast.parse(source))


def test_the_rule_leaves_what_is_passed_in_alone():
    """Names that look similar."""
    source = "import os\nx = environ['A'], clock.time(), os.path.join('a'), self.now(), timeout.time"
    assert ambient_uses(ast.parse(source)) == []


def test_the_rules_see_wrong_imports():
    """Also inside functions."""
    source = "def f():\n    from pr_review.git.command import Git\n    import github\n    import subprocess"
    assert upward_imports("llm", ast.parse(source)) == ["pr_review.git.command.Git"]
    assert upward_imports("tools", ast.parse(source)) == []
    assert misplaced_imports("llm", ast.parse(source)) == ["github", "subprocess"]
    assert misplaced_imports("github", ast.parse(source)) == ["subprocess"]


@pytest.mark.parametrize(("lines", "long"), [(59, False), (60, False), (61, True)])
def test_the_rule_measures_functions(lines, long):
    """From `def` to the last line."""
    assert bool(long_functions(ast.parse("def f():\n" + "    x = 1\n" * (lines - 1)))) is long


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


FORBIDDEN = {
    "a path of somebody's machine": re.compile(
        rb"(?<![\w.$}])/(?:work|root|home|Users)/(?!runner/|someone)[\w.-]"  # made-up homes may stay
    ),
    "a package index": re.compile(
        rb"pypi\.org|pythonhosted\.org|registry\.npmjs\.org|registry\.yarnpkg\.com"
    ),
}


def test_no_machine_path_and_no_package_index_is_committed():
    """The project builds anywhere, from whatever index the machine is set to."""
    found = [
        f"{path.relative_to(ROOT)}: {what}: {match[0].decode(errors='replace')}"
        for path in tracked()
        for what, pattern in FORBIDDEN.items()
        if (match := pattern.search(path.read_bytes()))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cd /~work/x", True),
        ('"/~root/.cache"', True),
        ("/~home/jo/x", True),
        ("https://py~pi.org/simple", True),
        ("/github/~home/x", False),
        ("/opt/pr-review/bin", False),
        ("a/~work/b", False),
    ],
)
def test_the_rule_sees_machine_paths_and_indexes(text, found):
    """A guard of the guard; the container's own paths are no machine's. `~` keeps this file clean."""
    plain = text.replace("~", "").encode()
    assert any(pattern.search(plain) for pattern in FORBIDDEN.values()) is found
