"""Texts that a model could write to act in a report, for hypothesis."""

from hypothesis import strategies as st

FRAGMENTS = [
    *"`*_[]()<>#+-.!|~$&:@\\=\"' \n\t{}^%/0a",
    *("``", "```", "```\n", "~~~", "~~~\n", "\n\n", "    ", "\\\n", "  \n"),
    *("\r\n", "\r", "\u202e", "\x1b[31m", "\0", "é", "日本"),
    *("<b>", "<!--", "-->", "<script>alert(1)</script>", "&lt;", "&#64;", "<https://a.b>", "<a@b.c>"),
    *("https://evil.example/x", "ftp://x", "www.evil.example", "//x.example"),
    *("mailto:a@b.example", "a@b.example", "@user", "@org/team", "user@0123456789abcdef"),
    *("![i](https://e.example/i.png)", "[t](https://e.example)", "[t][r]", "[r]: https://e.example"),
    *("#12", "owner/repo#12", "GH-12", "gh-1", "deadbeefcafe", ":tada:", ":+1:", "$x$", "$$y$$", "$`z`$"),
    *("[^1]", "[^1]: x", "- [ ] ", "> [!NOTE]\n> ", "# ", "1. ", "1) ", "---", "===", "- ", "***\n"),
    *("\n::error::x", "::", "##[error]", "#"),
    *("| a | b |\n", "|---|---|\n", "a\n:-\n", "List<T>", "snake_case", "**kwargs", "__init__"),
]
HOSTILE = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=25).map("".join)
