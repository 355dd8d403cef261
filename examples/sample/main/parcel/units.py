"""Weights and sizes."""

GRAMS_PER_KILO = 1000
GRAMS_PER_POUND = 453.592


def to_kilos(grams: int) -> float:
    return grams / GRAMS_PER_KILO


def to_pounds(grams: int) -> float:
    return grams / GRAMS_PER_POUND
