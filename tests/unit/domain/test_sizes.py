"""Sizes in bytes."""

import pytest

from pr_review.domain.sizes import KIB, MIB, utf8_size


def test_units_are_binary():
    assert (KIB, MIB) == (1024, 1_048_576)


@pytest.mark.parametrize(("text", "size"), [("", 0), ("a", 1), ("é", 2), ("€", 3), ("😀", 4), ("a\r\n", 3)])
def test_a_text_is_as_long_as_its_utf8(text, size):
    assert utf8_size(text) == size


def test_a_lone_surrogate_has_no_size():
    with pytest.raises(UnicodeEncodeError):
        utf8_size("a\udcff")
