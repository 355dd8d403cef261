"""Reads the rows of a partner's file."""

import yaml


def read_rows(text: str) -> list:
    return yaml.load(text, Loader=yaml.SafeLoader)


def read_options(text: str) -> dict:
    return yaml.load(text, Loader=yaml.Loader)
