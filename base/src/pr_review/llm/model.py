"""The port that every model stands behind."""

from collections.abc import Sequence
from typing import Protocol

from pr_review.domain.chat import Message, Reply, ToolSpec


class ChatModel(Protocol):
    """One model, for one conversation: behind an endpoint, or behind none (offline, scripted).

    What a model learns about its server (a refused field, no native tool calls) belongs to its conversation.
    Several models may share the client, the request budget and the clock of a run.
    """

    async def complete(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Send the conversation and return the model's next turn, its envelope checked.

        The conversation passes everything said so far, and the same tools, each time. Raises:

        - ``InvalidTurn`` for a turn outside the protocol; the conversation may ask again;
        - ``ContextOverflow`` when the request does not fit the model's context window; the conversation may
          shrink and ask again;
        - ``ReviewStopped`` when the request budget or the time of the run is spent;
        - ``ConfigError`` for what only the user can change (key, endpoint, model, parameters);
        - ``ModelError`` for everything else that a provider or a network can do.
        """
        ...
