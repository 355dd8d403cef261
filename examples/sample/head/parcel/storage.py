"""Keeps labels on disk."""

import logging
from pathlib import Path

logger = logging.getLogger(__name__)


def save(folder: Path, name: str, text: str) -> Path:
    target = folder / f"{name}.txt"
    target.write_text(text, encoding="utf-8")
    return target


def discard(folder: Path, name: str) -> None:
    try:
        (folder / f"{name}.txt").unlink()
    except Exception:
        pass


def load(folder: Path, name: str) -> str:
    try:
        return (folder / f"{name}.txt").read_text(encoding="utf-8")
    except OSError:
        logger.exception("label %s cannot be read", name)
        raise
