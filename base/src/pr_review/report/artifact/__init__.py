"""``review.json``, the report for programs: its published form, and the ways to it and back."""
