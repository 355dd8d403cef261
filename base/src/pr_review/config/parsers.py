"""Parsers of input values. Each takes the text of one input and returns its value or raises ``ValueError``.

A message completes the sentence "input `x` …". It never quotes the value, which may hold a secret.

The table of inputs imports this module, and every run imports the table. So what only some values need
(pydantic, pathspec) is imported where it is used.
"""

import ipaddress
import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, urlsplit

from pr_review.domain.paths import validate_path
from pr_review.domain.sizes import KIB, utf8_size
from pr_review.errors import ToolFailure

if TYPE_CHECKING:
    from pydantic import SecretStr

    from pr_review.domain.finding import Severity
    from pr_review.domain.frozen import JsonObject

MAX_JSON_BYTES = 16 * KIB
MAX_HEADERS = 32
MAX_HEADER_VALUE_CHARS = 4096
MAX_PATTERNS = 500

# The key has a header of its own. The other headers would change the framing, the routing or the meaning of
# the request.
RESERVED_HEADERS = frozenset({
    "accept", "accept-encoding", "authorization", "connection", "content-encoding", "content-length",
    "content-type", "cookie", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection",
    "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
# These keys belong to the protocol, or an input sets them.
RESERVED_BODY_KEYS = frozenset({
    "function_call", "functions", "messages", "model", "n", "stream", "stream_options", "tool_choice",
    "tools",
})  # fmt: skip
CREDENTIAL_QUERY_KEYS = frozenset({"access_token", "api_key", "api-key", "apikey", "key", "sig", "token"})

PATH_RULE = "must be a path relative to the workspace, without `..`, `.git` or backslashes"
PRIVATE_SUFFIXES = (".internal", ".lan", ".local", ".localhost")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")  # RFC 9110 token
_HEADER_VALUE = re.compile(r"[!-~](?:[ !-~]*[!-~])?")  # visible ASCII, no white space at the ends
_CREDENTIAL = re.compile(rf"[!-~]{{1,{MAX_HEADER_VALUE_CHARS}}}")
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_VERSION_ONLY = re.compile(r"(?:/openai)?/v\d+\w*/?")


class Integer:
    """A parser of decimal integers from ``low`` to ``high``, both included."""

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    def __call__(self, text: str) -> int:
        """The number."""
        if not re.fullmatch(r"[0-9]{1,9}", text) or not self.low <= int(text) <= self.high:
            raise ValueError(f"must be an integer from {self.low} to {self.high}")
        return int(text)


class OneOf:
    """A parser of a closed list of words."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def __call__(self, text: str) -> str:
        """The word itself."""
        if text not in self.words:
            raise ValueError("must be one of " + ", ".join(self.words))
        return text


def boolean(text: str) -> bool:
    """A boolean of the YAML 1.2 core schema, which is what the Actions toolkit accepts."""
    if text not in {"true", "True", "TRUE", "false", "False", "FALSE"}:
        raise ValueError("must be true or false")
    return text.lower() == "true"


def text(max_bytes: int) -> Callable[[str], str]:
    """A parser of free text without NUL."""

    def parse(value: str) -> str:
        if "\0" in value or _utf8_size(value) > max_bytes:
            raise ValueError(f"must be at most {max_bytes} bytes of text without NUL")
        return value

    return parse


def one_line(value: str) -> str:
    """One line of printable text, at most 512 characters."""
    if len(value) > 512 or not value.isprintable():  # noqa: PLR2004 -- named in the message
        raise ValueError("must be one printable line of at most 512 characters")
    return value


def credential(value: str) -> "SecretStr":
    """A key or a token that a header can carry. GitHub's job tokens are longer than 512 characters."""
    from pydantic import SecretStr  # noqa: PLC0415 -- start-up: only needed when a credential is given

    problem = f"must be at most {MAX_HEADER_VALUE_CHARS} visible ASCII characters, without spaces"
    return SecretStr(_match(_CREDENTIAL, value, problem))


def profile_name(value: str) -> str:
    """The name of a provider profile. The provider checks that the profile exists."""
    return _match(_NAME, value, "must be a name of lower-case letters, digits and dashes")


def language_tag(value: str) -> str:
    """A language tag such as ``en`` or ``pt-BR``."""
    return _match(_LANGUAGE, value, "must be a language tag such as en or pt-BR")


def fail_on(value: str) -> "Severity | None":
    """A severity, or None for ``never``."""
    if value == "never":
        return None
    from pr_review.domain.finding import Severity  # noqa: PLC0415 -- start-up: the default is `never`

    return Severity(OneOf("never", *Severity)(value))


def names(value: str) -> tuple[str, ...]:
    """Names, one per line. A single line may separate them by commas."""
    parts = value.splitlines() if "\n" in value else value.split(",")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def logins(value: str) -> tuple[str, ...]:
    """GitHub logins or author associations."""
    return tuple(_match(_LOGIN, name, "must hold GitHub logins, one a line") for name in names(value))


def patterns(value: str) -> tuple[str, ...]:
    """Gitignore patterns, one per line, without comments and empty lines."""
    import pathspec  # noqa: PLC0415 -- start-up: only needed when a pattern is given

    lines = tuple(line for line in value.splitlines() if line.strip() and not line.startswith("#"))
    if len(lines) > MAX_PATTERNS:
        raise ValueError(f"must hold at most {MAX_PATTERNS} patterns")
    try:
        pathspec.GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise ValueError("must hold valid gitignore patterns, one a line") from error
    return lines


def relative_path(value: str) -> str:
    """A path below the workspace, without a final slash. ``.`` is the workspace itself."""
    try:
        path = validate_path(value)
    except ToolFailure as failure:
        raise ValueError(PATH_RULE) from failure
    if not path.isprintable():
        raise ValueError(PATH_RULE)
    return path or "."


def path_below(value: str) -> str:
    """A path below the workspace that is not the workspace itself."""
    path = relative_path(value)
    if path == ".":
        raise ValueError("must be a path below the workspace, not the workspace itself")
    return path


def endpoint(value: str) -> str:
    """A complete http(s) URL without credentials.

    Plain http is accepted only inside a machine or a private network (``is_local``). Elsewhere anyone on the
    way could read the key and the code under review.
    """
    url = _split(value)
    if url.username is not None or url.password is not None:
        raise ValueError("must not hold credentials; the key has an input of its own")
    if any(key.lower() in CREDENTIAL_QUERY_KEYS for key, _ in parse_qsl(url.query, keep_blank_values=True)):
        raise ValueError("must not hold a key in its query; the key has an input of its own")
    if url.path in {"", "/"} or _VERSION_ONLY.fullmatch(url.path):
        raise ValueError("must be the complete URL, usually ending in /chat/completions, not a base URL")
    if url.scheme == "http" and not is_local(value):
        raise ValueError("must be https unless the host is in a private network")
    return value


def _split(value: str) -> SplitResult:
    try:
        url = urlsplit(value)
        url.port  # noqa: B018 -- the property raises for a port out of range
    except ValueError as error:
        raise ValueError("must be a valid URL") from error
    if url.scheme not in {"http", "https"} or not url.hostname:
        raise ValueError("must be an https URL")
    if url.fragment or not value.isprintable() or " " in value:
        raise ValueError("must be a URL without fragment, spaces or control characters")
    return url


def is_local(url: str) -> bool:
    """Whether the host of a valid URL is this machine, a container's name, or in a private network."""
    host = urlsplit(url).hostname or ""
    if (address := _address(host)) is None:
        return "." not in host or host.endswith(PRIVATE_SUFFIXES)
    return address.is_private and not address.is_link_local and not address.is_unspecified


def is_loopback(url: str) -> bool:
    """Whether the host of a valid URL is this machine."""
    host = urlsplit(url).hostname or ""
    if (address := _address(host)) is None:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that the host is, or None when the host is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def headers(value: str) -> "dict[str, SecretStr]":
    """A JSON object of header names and values. Reserved headers and line breaks are refused."""
    from pydantic import SecretStr  # noqa: PLC0415 -- start-up: only needed when a header is given

    pairs = json_object(value)
    seen = {name.lower() for name in pairs}
    if len(seen) != len(pairs) or len(pairs) > MAX_HEADERS:
        raise ValueError(f"must hold at most {MAX_HEADERS} headers, each once")
    if reserved := sorted(seen & RESERVED_HEADERS):
        raise ValueError("must not set " + ", ".join(reserved))
    for name, content in pairs.items():
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError("must hold legal header names")
        legal = isinstance(content, str) and len(content) <= MAX_HEADER_VALUE_CHARS
        if not legal or not _HEADER_VALUE.fullmatch(str(content)):
            raise ValueError(
                f"must hold header values of 1 to {MAX_HEADER_VALUE_CHARS} visible ASCII characters"
            )
    return {name: SecretStr(str(content)) for name, content in pairs.items()}


def body(value: str) -> "JsonObject":
    """A JSON object that is merged into each request. Keys of the protocol are refused."""
    extra = json_object(value)
    if reserved := sorted(extra.keys() & RESERVED_BODY_KEYS):
        raise ValueError("must not set " + ", ".join(reserved))
    return extra


def json_object(value: str) -> "JsonObject":
    """A JSON object of at most 16 KiB, without duplicate keys, NaN or Infinity."""
    from pr_review.domain import strict_json  # noqa: PLC0415 -- start-up: only needed when JSON is given

    if _utf8_size(value) > MAX_JSON_BYTES:
        raise ValueError(f"must be at most {MAX_JSON_BYTES} bytes of JSON")
    try:
        parsed = strict_json.loads(value.encode())
    except ValueError as error:
        raise ValueError("must be a valid JSON object without duplicate keys") from error
    if not isinstance(parsed, dict):
        raise ValueError("must be a JSON object")  # noqa: TRY004 -- parsers raise ValueError
    return parsed


def _utf8_size(value: str) -> int:
    try:
        return utf8_size(value)
    except UnicodeEncodeError as error:
        raise ValueError("must be valid UTF-8") from error


def _match(pattern: re.Pattern[str], value: str, problem: str) -> str:
    if not pattern.fullmatch(value):
        raise ValueError(problem)
    return value
