r"""Names as git prints them: a name that holds a quote, a backslash or a control character stands in quotes.

See ``quote_c_style`` of git and ``core.quotePath`` in git-config(1). Bytes from 0x80 stay,
but our own texts show one that is not UTF-8 as ``\\xff``, which git never writes.
"""

import re

_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|x([0-9a-f]{2})|(.))", re.DOTALL)
_NAMED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def unquote(name: bytes) -> bytes:
    """The raw name; what stands in no quotes is one already."""
    if len(name) < len(b'""') or not (name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(_raw, name[1:-1])


def _raw(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return bytes([int(escape[1], 8) & 0xFF])
    if escape[2]:
        return bytes([int(escape[2], 16)])
    return _NAMED.get(escape[3], escape[3])
