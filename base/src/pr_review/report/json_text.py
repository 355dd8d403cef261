"""JSON text that is safe to look at, for the artifact and for SARIF."""

import json
import re
from collections.abc import Mapping
from typing import Any

from pr_review.actions.printed_commands import break_in_json

# Legal in JSON, yet a terminal or an editor would obey these characters; a lone surrogate would not encode.
_CONTROLS = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def to_json(data: Mapping[str, Any]) -> str:
    """Indented JSON with a newline at its end; what a terminal or the runner would obey is escaped."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return break_in_json(_CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)) + "\n"
