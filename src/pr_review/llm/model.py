"""The port every model stands behind."""

from collections.abc import Sequence
from typing import Protocol

from pr_review.domain.chat import Message, Reply, ToolSpec
from pr_review.domain.run import RequestStats


class ChatModel(Protocol):
    """One model behind one endpoint (or behind none: offline, scripted)."""

    async def complete(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Send the conversation and return the next assistant turn, its envelope validated.

        Raises ``InvalidTurn`` for a reply outside the envelope, ``ReviewStopped`` when a request budget is
        spent, ``ModelError`` for everything a provider or a network can do.
        """
        ...

    @property
    def stats(self) -> RequestStats:
        """HTTP requests so far, whatever their cause."""
        ...
