"""Notices a server that cuts the prompt without saying so, as Ollama does beyond its ``num_ctx``."""

from collections.abc import Sequence

from pr_review.domain.chat import Message, Usage
from pr_review.domain.sizes import KIB
from pr_review.tools.tool import json_byte_count

MIN_PROMPT_BYTES = 16 * KIB  # below this even small context windows hold the prompt
MAX_BYTES_PER_TOKEN = 10  # source code measures 3 to 4; nothing real comes near 10
MIN_GROWTH_BYTES = 8 * KIB


class TruncationWatch:
    """Compares the bytes sent with the prompt tokens that a server reports, request by request."""

    def __init__(self) -> None:
        self._last: tuple[int, int] | None = None

    def looks_truncated(self, messages: Sequence[Message], usage: Usage | None) -> bool:
        """Far fewer tokens than any tokenizer makes of so many bytes, or no growth where text was added."""
        if usage is None or usage.prompt_tokens is None:
            return False
        sent, tokens = sum(_bytes(message) for message in messages), usage.prompt_tokens
        last, self._last = self._last, (sent, tokens)
        if sent >= MIN_PROMPT_BYTES and tokens * MAX_BYTES_PER_TOKEN < sent:
            return True
        if last is None or sent - last[0] < MIN_GROWTH_BYTES:
            return False
        return (tokens - last[1]) * MAX_BYTES_PER_TOKEN < sent - last[0]


def _bytes(message: Message) -> int:
    return json_byte_count(message.raw) if message.raw is not None else len(message.content.encode())
