import pytest

from parcel.rates import price


def test_domestic():
    assert price(1000, "domestic") == 5.3


def test_europe():
    assert price(500, "europe") == 10.35


def test_unknown_zone():
    with pytest.raises(KeyError):
        price(1000, "moon")
