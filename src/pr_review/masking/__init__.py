"""Hides secrets in everything that is printed."""
