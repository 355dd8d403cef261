"""Weights and sizes."""

GRAMS_PER_KILO = 1000


def to_kilos(grams: int) -> float:
    return grams / GRAMS_PER_KILO
