"""The default of the ``output-dir`` input.

The table of inputs and the early signal handlers both need it, so this module imports nothing.
"""

DEFAULT_OUTPUT_DIR = "pr-review-report"
