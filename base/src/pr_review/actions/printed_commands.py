"""What GitHub's runner obeys in printed text, and how each format of text keeps it from that.

The runner reads the output of a step line by line. A line that begins with ``::`` after white space is a
workflow command, and the old form ``##[command]`` is one anywhere in a line:
https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs. Reports may be printed, so
each of them breaks both forms. A format with escapes keeps the text as it was; text without escapes gets a
space between the two characters.
"""

import re

_COMMAND = re.compile(r"^([^\S\n]*+):(?=:)", re.MULTILINE)
_OLD_COMMAND = re.compile(r"#(?=#\[)")


def break_in_text(text: str) -> str:
    """Plain text, which has no escapes: ``: :error::x`` and ``# #[error]x``."""
    return break_inside_line(_COMMAND.sub(r"\1: ", text))


def break_inside_line(text: str) -> str:
    """Text without escapes that never begins a line, such as a code span: only the old form can act."""
    return _OLD_COMMAND.sub("# ", text)


def break_in_html(text: str) -> str:
    """HTML: a character reference shows the same character."""
    return _OLD_COMMAND.sub("&#35;", _COMMAND.sub(r"\1&#58;", text))


def break_in_json(text: str) -> str:
    r"""JSON with one value a line: every line begins with syntax, and ``\u0023`` is the same character."""
    return _OLD_COMMAND.sub(r"\\u0023", text)
