"""Hides secrets in everything that is printed or written to a report."""
