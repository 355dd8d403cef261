"""Deterministic checks over text, on added lines only."""
