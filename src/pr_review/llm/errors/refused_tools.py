"""How servers say that they refuse a tool definition or a replayed call, in lower case."""

_QUOTE = "[\"'`]?"
_DEFINITION = r"(?:definition|schema|declaration|parameter)s?\b"
_FIELD = "(?:field|property|key|parameter|attribute)s?"
_LACKS = "(?:is|was) (?:missing|required|a required)"

# Each alternative is bounded, so that a search takes linear time.
REFUSED_TOOLS = "|".join((
    r"\binvalid[ _-]tools?\b",
    r"\b(?:malformed|unknown|unsupported|unrecognized|invalid) (?:tool|function) (?:call|name|param|type)",
    rf"\b(?:malformed|unknown|unsupported|unrecognized|invalid) (?:tool|function) {_DEFINITION}",
    rf"\b(?:tool|function) {_DEFINITION}.{{0,60}}(?:invalid|malformed|not valid|missing|must)",
    rf"\binvalid (?:type|value)(?: for)?:? {_QUOTE}tools\b",
    r"\btools ?(?:\.|\[|->|/) ?(?:\d|function|type|\*)",
    r"\btool_calls ?(?:\.|\[|->|/) ?\d",
    rf"\bmissing (?:required )?{_FIELD}:? {_QUOTE}(?:type|function|tool_call_id)\b(?!\.)",
    rf"[\"'`]type[\"'`] (?:field |property )?{_LACKS}",
    rf"\b{_FIELD} {_QUOTE}type{_QUOTE} {_LACKS}",
    rf"\btype field {_LACKS}",
    r"tool call id|tool_call_ids?\b|tool_use_ids?\b|no tool call found|tooluse and toolresult",
    rf"tool_use{_QUOTE} ids?\b|tool_?result{_QUOTE} block",
    rf"\brole {_QUOTE}tool{_QUOTE} must|unexpected role {_QUOTE}tool\b",
    r"number of function (?:calls|response)|(?:duplicate|unique) (?:tool|function)|tool names? must",
    r"function name was|parse grammar|function_?declarations|input_schema|field is not repeating",
    r"invalid (?:json )?schema\b(?! for response_format)|not a valid json schema|flavored json schema",
))  # fmt: skip
