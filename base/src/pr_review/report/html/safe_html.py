"""HTML in which everything untrusted is escaped."""

from pr_review.domain.text import show_controls
from pr_review.report.safe_text import SafeText

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;"})


class Html(SafeText):
    """HTML of ours: it may be put into a page as it stands, between tags or inside a quoted attribute."""

    __slots__ = ()

    @staticmethod
    def escape(text: str) -> str:
        """Control characters made visible, the characters of HTML's syntax as entities."""
        return show_controls(text).translate(_ENTITIES)


def code(text: str, url: str | None = None) -> Html:
    """Text as code, as a link when there is a ``url``."""
    shown = Html.fill("<code>{text}</code>", text=text)
    return Html.fill('<a href="{url}">{shown}</a>', url=url, shown=shown) if url else shown


def code_block(text: str) -> Html:
    """Text as a block of code, a newline at its end."""
    return Html.fill("<pre><code>{text}</code></pre>\n", text=text)
