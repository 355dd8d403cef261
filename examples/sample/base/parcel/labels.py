"""Builds label texts."""


def label(name: str, street: str, city: str) -> str:
    return "\n".join([name, street, city])
