"""Which file of a repository a reviewer means, however the path is spelled.

Everything here is a pure function of the spelling and of names. docs/findings.md states the rules.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile
from typing import NamedTuple
from urllib.parse import unquote

MAX_SPELLING_CHARS = 4096  # PATH_MAX
MAX_COMPOSED_CHARS = 500  # Unicode composition (NFC) takes quadratic time on a long run of combining marks
MAX_CANDIDATES = 10
MIN_COMPONENTS = 2  # of a tree's path that ends a longer one: a bare name would prove too little
MAX_COMPONENTS = 64  # the same; a longer one would only cost time
TAIL_CHARS = 48  # a line number stands here, so no pattern ever searches a long text

# What a reviewer puts around a path: blanks, quotes, Markdown, and characters that nobody sees.
_AROUND = " \t\r\n\v\f\0\"'`<>*\u00a0\u200b\u200c\u200d\u2060\ufeff\u2018\u2019\u201c\u201d\u00ab\u00bb"
_AFTER = _AROUND + ",;:"


class Origin(NamedTuple):
    """How the repository is named from outside.

    ``url`` is its page, such as ``https://github.com/owner/name``; ``full_name`` is ``owner/name``.
    ``folders`` are absolute paths of its checkout. Each may be empty.
    """

    url: str = ""
    full_name: str = ""
    folders: tuple[str, ...] = ()


UNKNOWN = Origin()


class Reading(NamedTuple):
    """A path as it may be meant, and the lines that stood behind it."""

    path: str
    line: int | None = None
    end_line: int | None = None


class Resolution(NamedTuple):
    """The file that is meant: ``path`` is None when there is none, or when ``candidates`` all could be."""

    path: str | None = None
    candidates: tuple[str, ...] = ()
    line: int | None = None
    end_line: int | None = None


class Spelling(NamedTuple):
    """What may stand before a path; it is taken off. ``example`` is for the reader."""

    pattern: re.Pattern[str]
    example: str


def _before(pattern: str, example: str) -> Spelling:
    return Spelling(re.compile(pattern, re.ASCII | re.IGNORECASE), example)


# Each is taken off once, in this order; the text before and after each step is a reading of its own.
SCHEMES = (
    _before(r"(?:\+\+\+|---|diff --git) ", "+++ b/src/a.py"),
    _before(r"(?:file|path)\s?[:=]\s?(?!//)", "File: src/a.py"),
    _before(r"file:(?://(?:localhost)?)?(?=/)", "file:///srv/src/a.py"),
    _before(r"(?:HEAD|[0-9a-f]{7,64}):(?![\\/\d])", "HEAD:src/a.py"),
)
PREFIXES = (
    _before(r"[a-z]:/", "C:/dev/src/a.py"),
    _before(
        r"(?:\$GITHUB_WORKSPACE|\$\{GITHUB_WORKSPACE\}|\$\{\{ ?github\.workspace ?\}\}|~)/", "~/src/a.py"
    ),
    _before(r"/+", "/src/a.py"),
    _before(r"github/workspace/", "/github/workspace/src/a.py"),
    _before(r"(?:home/runner|__w|actions-runner/_work)/(?:work/)?[^/]+/[^/]+/", "/__w/r/r/src/a.py"),
    _before(r"(?-i:[abciow])/", "a/src/a.py, also with git's mnemonic prefixes"),
)
LINES = tuple(
    re.compile(pattern + r"[\s)\]:]*\Z", re.ASCII | re.IGNORECASE)
    for pattern in (
        r"[#:]L?(?P<line>\d{1,9})(?:[:C.]\d{1,9})?(?:(?:-|\u2013|\.\.|,)L?(?P<end>\d{1,9})(?:[:C.]\d{1,9})?)?",
        r"[(\[]L?(?P<line>\d{1,9})(?:[,:-]\s?\d{1,9})?[)\]]",
        r",?\s?\(?\[?\blines?\s?(?P<line>\d{1,9})(?:\s?(?:-|\u2013|to)\s?(?P<end>\d{1,9}))?",
    )
)
_MARKDOWN_LINK = re.compile(r"\[[^\[\]]*\]\((?P<path>[^()]*)\)")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.ASCII | re.IGNORECASE)
_PAGE = re.compile(r"(?:blob|tree|raw|blame|edit)/[^/]+/", re.IGNORECASE)
_RAW_HOST = "raw.githubusercontent.com"
# git shows a byte that is no text as three octal digits.
_OCTAL = re.compile(r"(?:\\[0-3][0-7]{2})+", re.ASCII)
_SLASHES = re.compile(r"[\\/]+")
# What a reviewer adds to a path that is not a line: the name of a function, a remark.
_ADDED = re.compile(r"(?:::|[#?]|\s\(|\s-\s).*\Z", re.DOTALL)


@dataclass(frozen=True)
class KnownPaths:
    """The names that a finding can be in.

    ``head`` are the names of the head's tree. ``changed`` maps each name of a changed file, on either side,
    to the path under which the review shows it. ``real_path`` follows symbolic links inside the head.
    """

    head: Collection[str]
    changed: Mapping[str, str]
    origin: Origin = UNKNOWN
    real_path: Callable[[str], str | None] = lambda _: None

    @cached_property
    def _levels(self) -> tuple["_Names", "_Names"]:
        """Changed files come before all others."""
        return _Names(self.changed), _Names({name: name for name in self.head})

    def resolve(self, spelling: str) -> Resolution:
        """The file that a spelling means.

        A literal path counts first, then what is left when everything around it is taken off, then the end of
        a path, each in composed Unicode and at last in any case. Among files that fit equally, changed ones
        come first; two of them are told as candidates.
        """
        found = [*readings(spelling, self.origin)]
        paths = [reading for reading in found if not _URL.match(reading.path)]
        return self._exactly(found) or self._nearly(paths) or Resolution()

    def _exactly(self, found: list[Reading]) -> Resolution | None:
        for reading in found:
            for name in _escapes(reading.path):
                if name in self.head:
                    return _resolved(reading, name)
                if name in self.changed:
                    return _resolved(reading, self.changed[name])
        paths = ((reading, self.real_path(reading.path)) for reading in found if reading.path)
        return next((_resolved(reading, path) for reading, path in paths if path), None)

    def _nearly(self, found: list[Reading]) -> Resolution | None:
        for key in KEYS:
            for match in (_Names.whole, _Names.ends):
                for reading in found:
                    for level in self._levels:
                        if paths := match(level, reading.path, key):
                            return _resolved(reading, *paths)
        return None


def _resolved(reading: Reading, *paths: str) -> Resolution:
    if len(paths) > 1:
        return Resolution(candidates=paths[:MAX_CANDIDATES])
    return Resolution(paths[0], (), reading.line, reading.end_line)


def composed(path: str) -> str:
    """The path in composed Unicode (NFC)."""
    return path if path.isascii() or len(path) > MAX_COMPOSED_CHARS else unicodedata.normalize("NFC", path)


def folded(path: str) -> str:
    """The path in composed Unicode and without case."""
    return composed(composed(path).casefold())


Key = Callable[[str], str]
KEYS: tuple[Key, ...] = (composed, folded)


class _Names:
    """Names of files, each with the path that stands for it, looked up whole and by their ends."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths
        self._indexes: dict[Key, tuple[dict[str, list[str]], list[tuple[str, str]]]] = {}

    def whole(self, path: str, key: Key) -> tuple[str, ...]:
        """The paths of the names that are equal to ``path``."""
        equal, _ = self._index(key)
        return self._unique(equal.get(key(path), ()))

    def ends(self, path: str, key: Key) -> tuple[str, ...]:
        """The paths of the names that end with ``path``, or that are the longest end of it."""
        equal, backwards = self._index(key)
        wanted = f"{key(path)[::-1]}/"
        first = bisect_left(backwards, (wanted,))
        longer = takewhile(lambda entry: entry[0].startswith(wanted), islice(backwards, first, None))
        shorter = (names for end in _ends(key(path)) if (names := equal.get(end)))
        return self._unique([*(name for _, name in longer), *next(shorter, ())]) if path else ()

    def _unique(self, names: Collection[str]) -> tuple[str, ...]:
        return tuple(sorted({self._paths[name] for name in names}))

    def _index(self, key: Key) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
        """Names by their key, and the sorted pairs of the reversed key and the name."""
        if key not in self._indexes:
            equal: dict[str, list[str]] = {}
            for name in self._paths:
                equal.setdefault(key(name), []).append(name)
            backwards = sorted((text[::-1], name) for text, names in equal.items() for name in names)
            self._indexes[key] = equal, backwards
        return self._indexes[key]


def _ends(path: str) -> Iterator[str]:
    """The ends of a path, without the path itself, from ``MAX_COMPONENTS`` to ``MIN_COMPONENTS``."""
    parts = path.rsplit("/", MAX_COMPONENTS)
    return ("/".join(parts[start:]) for start in range(1, len(parts) - MIN_COMPONENTS + 1))


def readings(spelling: str, origin: Origin) -> Iterator[Reading]:
    """What a spelling can mean, the literal text first; each path once."""
    if len(spelling) > MAX_SPELLING_CHARS:
        return
    seen: set[str] = set()
    for reading in _read(spelling, origin):
        if reading.path not in seen:
            seen.add(reading.path)
            yield reading


def _read(spelling: str, origin: Origin) -> Iterator[Reading]:
    yield Reading(spelling)
    yield Reading(text := spelling.strip(_AROUND))
    yield Reading(text := _without_link(text))
    for scheme in SCHEMES:
        yield Reading(text := scheme.pattern.sub("", text, count=1) if scheme.pattern.match(text) else text)
    page = _path_on_page(text, origin)
    if page is None and _URL.match(text):  # a page of somebody else
        return
    reading = _without_lines((text if page is None else page).strip(_AROUND))
    path = reading.path.rstrip(_AFTER)
    for variant in (path, unquote(path), _ADDED.sub("", path)):
        for plain in _plain_paths(variant, origin):
            yield reading._replace(path=plain)


def _plain_paths(path: str, origin: Origin) -> Iterator[str]:
    """A path without lines, step by step without everything that may stand before it."""
    yield path
    yield (path := _OCTAL.sub(_text_of_octal, path))
    yield (path := _SLASHES.sub("/", path))
    yield (path := _normal(path))
    for folder in origin.folders:
        yield (path := _below(path, folder.rstrip("/")) or path)
    for prefix in PREFIXES:
        yield (path := prefix.pattern.sub("", path, count=1) if prefix.pattern.match(path) else path)
    for name in (origin.full_name, origin.full_name.rpartition("/")[2]):
        yield (path := _below(path, name) or path)


def _below(path: str, folder: str) -> str:
    """The rest of a path below a folder, in any case of letters; "" when it is not below it."""
    start = len(folder) + 1
    return path[start:] if folder and path[:start].casefold() == f"{folder}/".casefold() else ""


def _without_link(text: str) -> str:
    """The target of a Markdown link; any other text as it is."""
    link = _MARKDOWN_LINK.fullmatch(text)
    return link["path"].strip(_AROUND) if link else text


def _path_on_page(text: str, origin: Origin) -> str | None:
    """The path and the lines on a page of the repository; None for any other text."""
    scheme = _URL.match(text)
    bare = text[scheme.end() :] if scheme else text
    for home in (origin.url.partition("://")[2], origin.full_name):
        if page := _PAGE.match(_below(bare, home)):
            return unquote(_below(bare, home)[page.end() :]).replace("?plain=1", "")
    raw = _below(bare, f"{_RAW_HOST}/{origin.full_name}") if origin.full_name else ""
    return unquote(raw.partition("/")[2]) or None


def _without_lines(text: str) -> Reading:
    """The path before a line number, and the lines."""
    start = max(0, len(text) - TAIL_CHARS)
    for pattern in LINES:
        if (found := pattern.search(text, start)) and found.start() > 0:
            groups = found.groupdict()
            end = int(groups["end"]) if groups.get("end") else None
            return Reading(text[: found.start()].rstrip(_AFTER), int(found["line"]), end)
    return Reading(text)


def _text_of_octal(match: re.Match[str]) -> str:
    return bytes(int(digits, 8) for digits in match[0].split("\\")[1:]).decode("utf-8", "backslashreplace")


def _normal(path: str) -> str:
    """The path without ``.``, empty components, and ``..`` after a folder; a leading slash stays."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in {"", ".", ".."}:
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def _escapes(path: str) -> tuple[str, ...]:
    r"""The name as it may be shown: a backslash is doubled there, as in git's quoted paths."""
    return (path, path.replace("\\", "\\\\"), path.replace("\\\\", "\\")) if "\\" in path else (path,)
