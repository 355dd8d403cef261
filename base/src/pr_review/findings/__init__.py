"""Findings: their shape as submitted, their place, their duplicates, and what an earlier review knew."""
