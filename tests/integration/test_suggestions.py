"""From a quote and a suggestion to a patch that git applies at the head commit, byte for byte."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pr_review.domain.change import PullRequest
from pr_review.domain.finding import Edit, Finding, Review, Severity
from pr_review.domain.run import Conclusion, Outcome
from pr_review.findings.edits import make_edit
from pr_review.findings.matching import FileIndex, place_quote
from pr_review.report import suggestions_patch

ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}

NUMBERS = "".join(f"line {number}\n" for number in range(1, 21))
PYTHON = "class A:\n    def f(self):\n        x = 1\n        return x\n\n    def g(self):\n        return 2\n"


def keep(text: str) -> str:
    return text


def edit_of(text: str, quote: str, suggestion: str, line: int | None = None, mask=keep) -> Edit | None:
    index = FileIndex(None, text.removesuffix("\n").split("\n"))
    return make_edit(quote, suggestion, place_quote(index, quote, line), text, mask)


def outcome_of(*found: tuple[str, Edit | None, Severity]) -> Outcome:
    findings = tuple(
        Finding(
            severity=severity,
            title=f"Finding in {path}",
            explanation="",
            path=path,
            line=edit.start_line if edit else 1,
            evidence="",
            recommendation="",
            in_diff=True,
            edit=edit,
        )
        for path, edit, severity in found
    )
    return Outcome(
        conclusion=Conclusion.FINDINGS,
        exit_code=0,
        provider="offline",
        pull_request=PullRequest(
            url="https://github.com/o/r/pull/1",
            owner="o",
            repository="r",
            number=1,
            title="t",
            body="",
            author="a",
            base_ref="main",
            head_ref="topic",
            base_sha="b" * 40,
            head_sha="a" * 40,
        ),
        review=Review(summary="", findings=findings),
    )


def render(*found: tuple[str, Edit | None]) -> str:
    return suggestions_patch.render(outcome_of(*((path, edit, Severity.HIGH) for path, edit in found)))


def git(folder: Path, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=ENVIRONMENT, input=stdin.encode(), capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def apply(folder: Path, files: dict[str, bytes], text: str) -> dict[str, bytes]:
    """The files after ``git apply --check`` and ``git apply`` in a repository that holds them."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q")
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    git(folder, "add", "-A")
    git(folder, "apply", "--check", "-", stdin=text)
    git(folder, "apply", "-", stdin=text)
    return {name: (folder / name).read_bytes() for name in files}


APPLIED = {
    "in the middle": (NUMBERS, "line 10", "LINE 10", NUMBERS.replace("line 10", "LINE 10")),
    "first line": (NUMBERS, "line 1", "LINE 1", NUMBERS.replace("line 1\n", "LINE 1\n")),
    "last line": (NUMBERS, "line 20", "LINE 20", NUMBERS.replace("line 20", "LINE 20")),
    "last but one": (NUMBERS, "line 19", "LINE 19", NUMBERS.replace("line 19", "LINE 19")),
    "several lines by one": (
        NUMBERS,
        "line 5\nline 6\nline 7",
        "x",
        NUMBERS.replace("5\nline 6\nline 7", "\b\bx"),
    ),
    "one line by several": (NUMBERS, "line 5", "a\nb\n\nc", NUMBERS.replace("line 5", "a\nb\n\nc")),
    "the whole file": ("a\nb\n", "a\nb", "c", "c\n"),
    "the only line": ("a\n", "a", "b", "b\n"),
    "newlines around quote and suggestion": (
        NUMBERS,
        "\n\nline 5\n",
        "\nfive\n\n",
        NUMBERS.replace("line 5", "five"),
    ),
    "no newline at the end, last line": ("a\nb", "b", "c\nd", "a\nc\nd"),
    "no newline at the end, only line": ("a", "a", "b", "b"),
    "no newline at the end, as context": ("a\nb\nc", "a", "x", "x\nb\nc"),
    "no newline at the end, last context line": ("a\nb\nc\nd", "a", "x", "x\nb\nc\nd"),
    "no newline at the end, beyond the context": ("a\nb\nc\nd\ne", "a", "x", "x\nb\nc\nd\ne"),
    "Windows line ends": ("a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"),
    "Windows line ends, quoted too": ("a\r\nb\r\nc\r\n", "b\r\n", "x\r\ny\r\n", "a\r\nx\r\ny\r\nc\r\n"),
    "Windows line ends, none at the end": ("a\r\nb\r\nc", "c", "x\ny", "a\r\nb\r\nx\r\ny"),
    "Windows line ends, the only line": ("a\r\n", "a", "b", "b\r\n"),
    "Unix line ends, Windows ones suggested": ("a\nb\n", "b", "x\r\ny", "a\nx\ny\n"),
    "tabs": ("f() {\n\tx();\n\ty();\n}\n", "\tx();", "\tz();", "f() {\n\tz();\n\ty();\n}\n"),
    "trailing white space": ("a  \nb\t\nc\n", "a\nb", "x", "x\nc\n"),
    "a form feed, a line separator, NUL": ("a\x0c\u2028\x00\nb\n", "b", "c", "a\x0c\u2028\x00\nc\n"),
    "a byte order mark above": ("\ufeffa\nb\n", "b", "c", "\ufeffa\nc\n"),
    "blank lines inside": ("a\n\n  \nb\nc\n", "a\n\n\nb", "x", "x\nc\n"),
    "code that looks like a patch": (
        "--- a\n+++ b\n@@ -1 +1 @@\n-x\n",
        "@@ -1 +1 @@",
        "diff --git a b",
        "--- a\n+++ b\ndiff --git a b\n-x\n",
    ),
    "code that begins with markers": ("+a\n-b\n c\n", "-b", "+d", "+a\n+d\n c\n"),
    "quote as indented": (
        PYTHON,
        "        return x",
        "        return -x",
        PYTHON.replace("return x", "return -x"),
    ),
    "indentation lost by both": (PYTHON, "return x", "return -x", PYTHON.replace("return x", "return -x")),
    "indentation lost by the quote only": (
        PYTHON,
        "return x",
        "        return -x",
        PYTHON.replace("return x", "return -x"),
    ),
    "indentation lost by every line": (
        PYTHON,
        "def f(self):\n    x = 1\n    return x",
        "def f(self):\n    return 1",
        PYTHON.replace("        x = 1\n        return x", "        return 1"),
    ),
    "indentation lost by the first line": (
        PYTHON,
        "def f(self):\n        x = 1\n        return x",
        "def f(self):\n        return 1",
        PYTHON.replace("        x = 1\n        return x", "        return 1"),
    ),
    "indentation lost, several lines for one": (
        PYTHON,
        "return x",
        "y = x\n\nreturn y",
        PYTHON.replace("        return x", "        y = x\n\n        return y"),
    ),
}


@pytest.mark.parametrize(("head", "quote", "suggestion", "expected"), APPLIED.values(), ids=APPLIED)
def test_git_applies_it(tmp_path, head, quote, suggestion, expected):
    """The file afterwards is what the suggestion says, byte for byte."""
    text = render(("a.txt", edit_of(head, quote, suggestion)))
    expected = expected.replace("line \b\b", "")
    assert apply(tmp_path, {"a.txt": head.encode()}, text) == {"a.txt": expected.encode()}


SECRET = "sk_live_secret"


def mask(text: str) -> str:
    return text.replace(SECRET, "****")


LEFT_OUT = {
    "nothing quoted": (NUMBERS, "", "x"),
    "nothing suggested": (NUMBERS, "line 5", ""),
    "a blank suggestion": (NUMBERS, "line 5", " \n"),
    "the same code": (NUMBERS, "line 5", "line 5"),
    "code that is not there": (NUMBERS, "line 99", "x"),
    "code that is there twice": ("a\nb\na\n", "a", "x"),
    "a part of a line": ("foo = bar()\n", "bar()", "baz()"),
    "a blank line that is not there": ("a\nb\nb\nc\n", "a\n\nb", "x"),
    "a blank line beyond the end": ("a\nb\n", "a\n\nb", "x"),
    "a byte order mark": ("\ufeffa\nb\n", "a", "x"),
    "other white space inside": ("x  =  1\n", "x = 1", "x = 2"),
    "line numbers quoted": (NUMBERS, "5: line 5", "x"),
    "markers quoted": (NUMBERS, "+line 5", "+line five"),
    "a fence quoted": (NUMBERS, "```\nline 5\n```", "x"),
    "a fenced suggestion": (NUMBERS, "line 5", "```python\nx\n```"),
    "a suggestion that is a patch": (NUMBERS, "line 5", "-line 5\n+line five"),
    "mixed line ends": ("a\r\nb\nc\n", "a\nb", "x"),
    "indentation lost by some lines": (PYTHON, "    def f(self):\nx = 1", "    def f(self):\ny = 1"),
    "indentation lost, and which lines is unclear": ("    x\n", "x", "if x:\n    y"),
    "a file that is no text": (None, "a", "b"),
    "a secret in the code": (f"{SECRET}\n", SECRET, "x"),
    "a secret beside it": (f"a\n\n\n{SECRET}\n", "a", "x"),
    "a secret in the suggestion": ("a\n", "a", SECRET),
}


@pytest.mark.parametrize(("head", "quote", "suggestion"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_would_have_to_be_guessed_is_no_edit(head, quote, suggestion):
    """Nor what would show a secret, or write its mask into the code."""
    index = FileIndex(None, (head or quote).removesuffix("\n").split("\n"))
    assert make_edit(quote, suggestion, place_quote(index, quote, None), head, mask) is None


def test_a_secret_beyond_the_context_is_no_hindrance():
    assert edit_of(f"a\nb\nc\nd\n{SECRET}\n", "a", "x", mask=mask)


@pytest.mark.parametrize(("size", "fits"), [(32 * 1024 - 1, True), (32 * 1024, True), (32 * 1024 + 1, False)])
def test_an_edit_is_bounded(size, fits):
    """32 KiB of lines, the newlines between them counted, of a minified neighbour too."""
    text = "a\n" + "é" * ((size - 4) // 2) + "x" * ((size - 4) % 2) + "\n"
    assert (edit_of(text, "a", "b") is not None) is fits


def test_the_nearest_of_several_places_is_not_exact():
    """What is only probably the place is not changed; the place that holds the named line is."""
    text = "a\n" + "b\n" * 50 + "a\n"
    assert edit_of(text, "a", "x", line=2) is None
    assert edit_of(text, "a", "x", line=1).start_line == 1


def test_several_suggestions_in_several_files(tmp_path):
    """Far apart, with shared context, touching; lines above grow and shrink; names that git quotes."""
    changes = {"line 2": "a\nb\nc", "line 3": "d", "line 7": "e", "line 11\nline 12": "f", "line 20": "g"}
    edits = [edit_of(NUMBERS, quote, suggestion) for quote, suggestion in changes.items()]
    names = [
        "a.txt",
        "dir with/spa ce.txt",
        'qu"ote.txt',
        "tab\there.txt",
        "back/ünïcode ☃.txt",
        "new\nline.txt",
    ]
    text = render(*((name, edit) for name in names for edit in reversed(edits)))
    expected = NUMBERS
    for quote, suggestion in changes.items():
        expected = expected.replace(f"{quote}\n", f"{suggestion}\n")
    done = apply(tmp_path, {name: NUMBERS.encode() for name in names}, text)
    assert done == dict.fromkeys(names, expected.encode())
    assert text.count("\n@@ ") == 2 * len(names)
    assert headers(text) == headers(git(tmp_path, "-c", "core.quotePath=false", "diff"))


def headers(text: str) -> list[str]:
    """Names and positions as a patch has them, the files in any order, no section headings."""
    sections = (section.splitlines() for section in text.split("diff --git ")[1:])
    keep = re.compile(r"--- .*|\+\+\+ .*|@@ .* @@")
    return sorted(
        "|".join([lines[0], *(found[0] for line in lines if (found := keep.match(line)))])
        for lines in sections
    )


def test_of_overlapping_suggestions_the_worst_finding_wins(tmp_path):
    """The others are listed with what they overlap; nothing else of them is in the patch."""
    low = edit_of(NUMBERS, "line 4\nline 5", "low")
    high = edit_of(NUMBERS, "line 5\nline 6", "high")
    late = edit_of(NUMBERS, "line 6", "late")
    other = edit_of(NUMBERS, "line 7", "other")
    outcome = outcome_of(
        ("a.txt", low, Severity.LOW),
        ("a.txt", late, Severity.HIGH),
        ("a.txt", high, Severity.CRITICAL),
        ("a.txt", other, Severity.LOW),
    )
    text = suggestions_patch.render(outcome)
    assert "# 1. Finding in a.txt (a.txt:5)\n# 4. Finding in a.txt (a.txt:7)\n" in text
    assert "# 2. Finding in a.txt (a.txt:6) (overlaps with 1)\n" in text
    assert "# 3. Finding in a.txt (a.txt:4) (overlaps with 1)\n" in text
    expected = NUMBERS.replace("line 5\nline 6\nline 7\n", "high\nother\n")
    assert apply(tmp_path, {"a.txt": NUMBERS.encode()}, text) == {"a.txt": expected.encode()}


def test_no_suggestion_is_no_patch():
    assert render(("a.txt", None)) == ""


def test_nothing_in_the_preamble_is_taken_for_a_patch(tmp_path):
    """Titles and paths are one comment line each, whatever they hold."""
    edit = edit_of("a\n", "a", "b")
    outcome = outcome_of(("a\n--- a.txt\r+++ b", edit, Severity.HIGH), ("a.txt", edit, Severity.HIGH))
    hostile = "t\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+evil\rdiff --git a/x b/x\x1b[31m"
    findings = tuple(found.model_copy(update={"title": hostile}) for found in outcome.review.findings)
    review = Review(summary="", findings=findings)
    text = suggestions_patch.render(outcome.model_copy(update={"review": review}))
    preamble = text[: text.index("\ndiff --git")]
    assert all(line.startswith("#") for line in preamble.splitlines() if line)
    assert "\x1b" not in preamble
    files = {"a.txt": b"a\n", "a\n--- a.txt\r+++ b": b"a\n"}
    assert apply(tmp_path, files, text) == dict.fromkeys(files, b"b\n")


@pytest.mark.parametrize("field", ["before", "removed", "added", "after"])
@pytest.mark.parametrize("line", ["x\n", "x\n--- a/other\n+++ b/other"])
def test_a_line_of_an_edit_holds_no_newline(field, line):
    """An artifact may come from anywhere: its lines must not become headers of a patch."""
    good = {"start_line": 5, "before": [], "removed": ["a"], "added": ["b"], "after": []}
    assert Edit.model_validate(good | {field: ["x\r"]})
    with pytest.raises(ValidationError):
        Edit.model_validate(good | {field: [line]})


@pytest.mark.parametrize("fields", [{"removed": []}, {"added": []}, {"start_line": 0}])
def test_an_edit_replaces_something_by_something(fields):
    with pytest.raises(ValidationError):
        Edit.model_validate({"start_line": 1, "removed": ["a"], "added": ["b"]} | fields)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("patches")


LINES = st.lists(st.text(alphabet="ab \t-+@\\#é\x0c", max_size=4), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), lines=LINES, ending=st.sampled_from(["\n", "\r\n"]), closed=st.booleans())
def test_any_edits_of_any_file_apply(folder, data, lines, ending, closed):
    """Random files, spans and replacements: the patch gives what replacing the spans gives."""
    lines = [f"{number}:{line}" if line.strip() else line for number, line in enumerate(lines)]
    text = ending.join(lines) + (ending if closed else "")
    assume(text.strip() and (closed or (lines[-1].strip() and (len(lines) > 1 or ending == "\n"))))
    filled = [number for number, line in enumerate(lines) if line.strip()]
    starts = data.draw(st.lists(st.sampled_from(filled), unique=True, max_size=4, min_size=1).map(sorted))
    expected, edits = list(lines), []
    for start, following in reversed(list(zip(starts, [*starts[1:], len(lines)], strict=True))):
        ends = [number for number in filled if start <= number < following]
        end = data.draw(st.sampled_from(ends)) + 1
        suggestion = data.draw(st.lists(st.text(alphabet="xy +-", max_size=3), min_size=1, max_size=4))
        suggestion = ["new", *suggestion, "end"]
        edit = edit_of(text, "\n".join(lines[start:end]), "\n".join(suggestion), start + 1)
        assert edit is not None
        edits.append(edit)
        expected[start:end] = suggestion
    done = apply(folder, {"a.txt": text.encode()}, render(*(("a.txt", edit) for edit in edits)))
    assert done["a.txt"].decode() == ending.join(expected) + (ending if closed else "")


def test_a_quote_that_kept_half_its_indentation_gives_no_edit():
    """Lost and kept are as long as each other: the suggestion could lack either."""
    assert edit_of(PYTHON, "    return x", "    return -x", 4) is None
    whole = edit_of(PYTHON, "    return x", "        return -x", 4)
    assert whole is not None
    assert whole.added == ("        return -x",)
