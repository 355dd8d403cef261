"""Builds label texts."""


def label(name: str, street: str, city: str) -> str:
    return "\n".join([name, street, city])


def batch(rows, labels=[]):
    for row in rows:
        labels.append(label(*row))
    return labels


def sheet(rows, columns=None):
    columns = [] if columns is None else columns
    return [columns, *rows]
