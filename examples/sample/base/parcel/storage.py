"""Keeps labels on disk."""

from pathlib import Path


def save(folder: Path, name: str, text: str) -> Path:
    target = folder / f"{name}.txt"
    target.write_text(text, encoding="utf-8")
    return target
