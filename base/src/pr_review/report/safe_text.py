"""Text in the syntax of one format, in which everything untrusted is escaped.

A report is made by filling templates, which are literals of ours, with values. A value that is text of the
same format stays as it is, and every other value is escaped. So a forgotten conversion gives an ugly report,
never one in which untrusted text acts as syntax.
"""

from collections.abc import Iterable
from typing import LiteralString, Self


class SafeText(str):
    """Base of each format's text. What ``str``'s own methods return is plain text again, and gets escaped."""

    __slots__ = ()

    @staticmethod
    def escape(text: str) -> str:
        """Untrusted text in the syntax of the format."""
        raise NotImplementedError

    @classmethod
    def of(cls, value: object) -> Self:
        """The value itself when it is text of this format, else its text, escaped."""
        return value if isinstance(value, cls) else cls(cls.escape(str(value)))

    @classmethod
    def fill(cls, template: LiteralString, **values: object) -> Self:
        """The template with each ``{name}`` replaced by the escaped value of that name."""
        return cls(template.format_map({name: cls.of(value) for name, value in values.items()}))

    @classmethod
    def concat(cls, values: Iterable[object], separator: LiteralString = "") -> Self:
        """The escaped values, one after the other."""
        return cls(separator.join(map(cls.of, values)))
