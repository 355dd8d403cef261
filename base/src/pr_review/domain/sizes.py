"""Sizes in bytes: binary units, and the size of a text."""

KIB = 1024
MIB = 1024 * KIB


def utf8_size(text: str) -> int:
    """The number of UTF-8 bytes of a text.

    Raises ``UnicodeEncodeError``, a ``ValueError``, for a lone surrogate. Python's ``os.environ`` holds one
    where a variable is not UTF-8.
    """
    return len(text.encode())
