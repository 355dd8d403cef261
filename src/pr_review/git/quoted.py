r"""Names as git prints them: a name that holds a quote, a backslash or a control character stands in quotes.

See ``quote_c_style`` of git and ``core.quotePath`` in git-config(1). Bytes from 0x80 stay.
"""

import re

_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|(.))", re.DOTALL)
_NAMED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def unquote(name: bytes) -> bytes:
    """The raw name; what stands in no quotes is one already."""
    if len(name) < len(b'""') or not (name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(_raw, name[1:-1])


def _raw(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return bytes([int(escape[1], 8) & 0xFF])
    return _NAMED.get(escape[2], escape[2])
