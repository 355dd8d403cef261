"""Files that are not reviewed, unless an `exclude` pattern that starts with ``!`` includes them again."""

from collections.abc import Iterator
from typing import NamedTuple


class Exclusion(NamedTuple):
    """A gitignore pattern and the reason that reports show.

    ``files_only``: a folder of such a name hides nothing below it.
    """

    pattern: str
    reason: str
    files_only: bool = False


# Patterns by kind of file. The kind is the reason that reports show. A pattern that ends in a slash is one of
# folders; any other is one of file names, because `api.lock/handler.py` is code like any other.
DEFAULT_EXCLUDES: dict[str, tuple[str, ...]] = {
    "lock files": (
        "*.lock",
        "*.lockb",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "pnpm-lock.yaml",
        "packages.lock.json",
        "gradle.lockfile",
        "go.sum",
        "go.work.sum",
        "Package.resolved",
        ".terraform.lock.hcl",
        "flake.lock",
    ),
    "minified files": ("*.min.js", "*.min.mjs", "*.min.css", "*.bundle.js", "*.js.map", "*.css.map"),
    "vendored files": (
        "node_modules/",
        "bower_components/",
        "vendor/",
        "third_party/",
        "Pods/",
        ".yarn/releases/",
        ".yarn/plugins/",
        "gradlew",
        "gradlew.bat",
        "mvnw",
        "mvnw.cmd",
    ),
    "generated files": (
        "*_pb2.py",
        "*_pb2.pyi",
        "*_pb2_grpc.py",
        "*.pb.go",
        "*.pb.cc",
        "*.pb.h",
        "*.g.dart",
        "*.freezed.dart",
        "*.designer.cs",
        "*.g.cs",
        "*.generated.*",
        "*_generated.go",
        "zz_generated.*.go",
        "__snapshots__/",
        "*.snap",
    ),
}


def built_in_exclusions() -> Iterator[Exclusion]:
    """The built-in patterns, in order."""
    for kind, patterns in DEFAULT_EXCLUDES.items():
        for pattern in patterns:
            yield Exclusion(pattern, kind, files_only=not pattern.endswith("/"))
