"""Defaults that other modules need without the table of inputs; importing this module costs nothing."""

DEFAULT_OUTPUT_DIR = "pr-review-report"
