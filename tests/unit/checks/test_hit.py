import pytest

from pr_review.checks.hit import clip


@pytest.mark.parametrize("length", [299, 300])
def test_clip_keeps_a_line_of_up_to_300_characters(length):
    assert clip("x" * length) == "x" * length


def test_clip_cuts_a_longer_line():
    assert clip("x" * 301) == "x" * 299 + "…"


def test_clip_drops_indentation_before_it_counts():
    assert clip(" " * 50 + "x" * 300 + "\r") == "x" * 300
