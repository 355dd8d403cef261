"""A model behind a chat-completions endpoint: the wire format and the sender, put together."""

from collections.abc import Sequence

import httpx

from pr_review.domain.chat import Message, Reply, ToolSpec
from pr_review.llm.chat_completions.adaptation import Adaptation, operator_fields
from pr_review.llm.chat_completions.chat_settings import ChatSettings
from pr_review.llm.chat_completions.exchange import ChatExchange
from pr_review.llm.chat_completions.request import request_body
from pr_review.llm.request_budget import RequestBudget
from pr_review.llm.retry import Pacing
from pr_review.llm.sender import Sender


class ChatCompletionsModel:
    """Implements ``ChatModel`` for one conversation.

    The models of a run share ``client`` (from ``http.open_client``; the caller closes it), ``budget`` and
    ``pacing``.
    """

    def __init__(
        self, settings: ChatSettings, *, client: httpx.AsyncClient, budget: RequestBudget, pacing: Pacing
    ) -> None:
        self._settings = settings
        self._sender = Sender(client, budget, pacing)
        self._adaptation = Adaptation(settings)
        self._note = budget.note
        _, left_out = operator_fields(settings.extra_body, settings.profile)
        for event in left_out:
            budget.note(event)

    @property
    def text_mode(self) -> bool:
        """Whether tools are described in text: by the settings, or because the server refused native ones."""
        return self._adaptation.text_mode

    async def complete(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Send the conversation and return the next turn; raises as ``ChatModel.complete`` says."""
        exchange = ChatExchange(self._settings, self._adaptation, conversation, tools, self._note)
        return await self._sender.send(exchange)

    def encode_body(self, conversation: Sequence[Message], tools: Sequence[ToolSpec]) -> bytes:
        """The body of the next request, without sending it."""
        return request_body(self._settings, self._adaptation, conversation, tools)
