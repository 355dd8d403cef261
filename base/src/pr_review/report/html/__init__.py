"""``review.html``: one page that can be read without a network, without scripts, and without GitHub.

Untrusted text is shown as text: control characters are made visible, and HTML is escaped. The page's own
policy allows its one style sheet and nothing else, so that even a mistake here loads and runs nothing.
"""

from pr_review.report.html.page import render

__all__ = ["render"]
