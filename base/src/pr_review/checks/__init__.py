"""Deterministic checks of added lines; all but ruff are pure functions over text."""
