"""The only composition root: which classes stand behind the ports, chosen from settings."""

import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pr_review.app.deadline import Deadline
from pr_review.app.prepare import Prepared
from pr_review.config.settings import Settings
from pr_review.conversation.answer_protocol import AnswerProtocol
from pr_review.domain.chat import Message, ToolSpec
from pr_review.domain.run import Limits
from pr_review.errors import ConfigError, Skipped
from pr_review.findings.submission import Submission
from pr_review.llm.model import ChatModel
from pr_review.llm.request_budget import RequestBudget
from pr_review.review.passes.find import FINAL_REVIEW, RULE_REVIEW
from pr_review.tools.toolbox import Toolbox
from pr_review.tools.toolsets import canonical_tools

if TYPE_CHECKING:
    from pr_review.llm.chat_completions.chat_model import ChatCompletionsModel

OFFLINE = "offline"


async def _nothing() -> None:
    """There is nothing to close."""


@dataclass(frozen=True)
class Reviewer:
    """Who reviews: models with the budgets of each conversation and of the run.

    ``open_model`` gives the model of one conversation. ``answers`` reads what it finds. ``reads_prompt``:
    what the first message shows counts as seen. ``preview`` encodes a first request without sending it.
    """

    provider: str
    open_model: Callable[[], ChatModel]
    answers: AnswerProtocol[Submission]
    limits: Limits
    budget: RequestBudget
    reads_prompt: bool
    preview: Callable[[Sequence[Message], Sequence[ToolSpec]], bytes]
    aclose: Callable[[], Awaitable[None]] = _nothing


def build_toolbox(prepared: Prepared) -> Toolbox:
    """The tools of a review over one head commit."""
    return Toolbox(canonical_tools(prepared.head, prepared.searcher, prepared.diff))


def choose_provider(
    settings: Settings, *, without_secrets: bool, sends: bool = True
) -> tuple[str, str | None]:
    """The provider that reviews, and a note when it is not the one asked for.

    A dry run ``sends`` nothing, so it goes on without the key that a review will need.

    Raises ``ConfigError`` or ``Skipped`` for a missing key, as ``on-missing-key`` says.
    """
    if not settings.key_missing:
        return settings.provider, None
    policy = settings.missing_key_policy(without_secrets=without_secrets)
    if policy == "offline":
        where = "GitHub gives this event no secrets" if without_secrets else "No api-key was given"
        return OFFLINE, f"{where}, so rules reviewed this change, not a model."
    if policy == "skip":
        raise Skipped("missing_key", "There is no api-key, and on-missing-key is skip.", "Give an api-key.")
    if not sends:
        return settings.provider, "There is no api-key yet; a review needs one."
    raise ConfigError(
        "missing_key",
        "There is no api-key for the provider.",
        "Set the api-key input from a secret (in a shell: OPENCODE_API_KEY), or review without a model "
        "(provider: offline, --provider offline), or set on-missing-key.",
    )


def build_reviewer(provider: str, prepared: Prepared, deadline: Deadline) -> Reviewer:
    """Who stands behind ``provider``; the caller awaits ``aclose``."""
    if provider == OFFLINE:
        return _offline(prepared)
    return _chat(prepared.settings, deadline)


def _offline(prepared: Prepared) -> Reviewer:
    from pr_review.checks.ruff import Ruff, find_ruff  # noqa: PLC0415 -- start-up: a model needs no checks
    from pr_review.offline.limits import limits_for  # noqa: PLC0415 -- start-up: as above
    from pr_review.offline.offline_model import OfflineModel  # noqa: PLC0415 -- start-up: as above

    head, settings = prepared.head, prepared.settings
    paths = [file.path for file in prepared.selection.selected if file.addressable]
    ruff = find_ruff()
    return Reviewer(
        provider=OFFLINE,
        open_model=lambda: OfflineModel(paths, Ruff(ruff) if ruff else None),
        answers=RULE_REVIEW,
        limits=limits_for(
            settings.limits, [head.file_size(path) if head.is_file(path) else 0 for path in paths]
        ),
        budget=RequestBudget(0),
        reads_prompt=False,
        preview=lambda _messages, _tools: b"",
    )


class OpenChat(NamedTuple):
    """A connection to the endpoint; the models that it opens share one client and one budget of requests."""

    open_model: Callable[[], "ChatCompletionsModel"]
    budget: RequestBudget
    aclose: Callable[[], Awaitable[None]]


def open_chat(settings: Settings, deadline: Deadline) -> OpenChat:
    """Connect to the endpoint of the settings; the caller awaits ``aclose``."""
    from pr_review.llm.chat_completions.chat_model import ChatCompletionsModel  # noqa: PLC0415 -- start-up
    from pr_review.llm.chat_completions.chat_settings import ChatSettings  # noqa: PLC0415 -- start-up
    from pr_review.llm.chat_completions.profiles import choose_profile  # noqa: PLC0415 -- start-up
    from pr_review.llm.http import open_client  # noqa: PLC0415 -- start-up: offline sends nothing
    from pr_review.llm.retry import Pacing  # noqa: PLC0415 -- start-up

    chat = ChatSettings(
        endpoint=settings.endpoint,
        model=settings.model,
        profile=choose_profile(settings.endpoint, settings.provider_profile),
        session_id=str(uuid.uuid4()),
        api_key=settings.api_key,
        extra_headers=settings.extra_headers,
        extra_body=settings.extra_body,
        stream=settings.stream,
        tool_mode=settings.tool_mode,
    )
    client = open_client(settings.endpoint)
    budget, pacing = RequestBudget(settings.max_requests), Pacing(deadline.remaining, deadline.sleeps.awaited)
    open_model = partial(ChatCompletionsModel, chat, client=client, budget=budget, pacing=pacing)
    return OpenChat(open_model, budget, client.aclose)


def _chat(settings: Settings, deadline: Deadline) -> Reviewer:
    chat = open_chat(settings, deadline)
    return Reviewer(
        provider=settings.provider,
        open_model=chat.open_model,
        answers=FINAL_REVIEW,
        limits=settings.limits,
        budget=chat.budget,
        reads_prompt=True,
        preview=lambda messages, tools: chat.open_model().encode_body(messages, tools),
        aclose=chat.aclose,
    )
