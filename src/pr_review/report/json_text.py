"""JSON text that is safe to look at, for the artifact and for SARIF."""

import json
from collections.abc import Mapping
from typing import Any

from pr_review.actions.printed_commands import break_in_json
from pr_review.domain.text import escape_controls


def to_json(data: Mapping[str, Any]) -> str:
    """Indented JSON with a newline at its end; what is invisible or would be obeyed is escaped."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return break_in_json(escape_controls(text)) + "\n"
