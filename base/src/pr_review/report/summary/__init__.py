"""The job summary: one Markdown page for a maintainer, with every untrusted word escaped."""

from pr_review.report.summary.fit import SUMMARY_BYTES, render

__all__ = ["SUMMARY_BYTES", "render"]
