"""What the tests of the model layer share: tools, conversations, and a model in front of the server."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from pydantic import SecretStr

from pr_review.domain.chat import Message, Role, ToolSpec
from pr_review.llm.chat_completions.chat_model import ChatCompletionsModel
from pr_review.llm.chat_completions.chat_settings import ChatSettings
from pr_review.llm.chat_completions.profiles import PROFILES
from pr_review.llm.http import open_client
from pr_review.llm.request_budget import RequestBudget
from pr_review.llm.retry import Pacing

KEY = "sk-test-5f0e4b1c"


class Waits:
    """A sleep that returns at once and remembers; time passes only by what was slept."""

    def __init__(self, seconds: float = 900.0) -> None:
        self.left = seconds
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.left -= seconds

    def pacing(self) -> Pacing:
        return Pacing(remaining=lambda: self.left, sleep=self.sleep, jitter=lambda: 0.0)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def tools() -> tuple[ToolSpec, ...]:
    """Two tools: one with a required argument, one without."""
    path = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    diff = {
        "type": "object",
        "properties": {"paths": {"type": "array", "items": {"type": "string"}}},
        "required": [],
    }
    return (
        ToolSpec(name="read_repository_file", description="Read a file.", parameters=path),
        ToolSpec(name="inspect_git_diff", description="Show the diff.", parameters=diff),
    )


@pytest.fixture
def conversation() -> tuple[Message, ...]:
    return (
        Message(role=Role.SYSTEM, content="You review."),
        Message(role=Role.USER, content="Review pull request 7. Ünïcode ✓"),
    )


OpenModel = Callable[..., ChatCompletionsModel]


@pytest.fixture
def budget() -> RequestBudget:
    """The budget of the run, which all its models share."""
    return RequestBudget(24)


@pytest.fixture
async def open_model(chat_server: Any, waits: Waits, budget: RequestBudget) -> AsyncIterator[OpenModel]:
    """A factory of models in front of ``chat_server``; profile by name, any setting by keyword."""
    async with open_client(chat_server.url) as client:

        def build(
            profile: str = "generic", *, budget: RequestBudget = budget, **options: Any
        ) -> ChatCompletionsModel:
            settings = ChatSettings(
                endpoint=options.pop("endpoint", chat_server.url),
                model="m-1",
                profile=PROFILES[profile],
                session_id="session-1",
                api_key=options.pop("api_key", SecretStr(KEY)),
                **options,
            )
            return ChatCompletionsModel(settings, client=client, budget=budget, pacing=waits.pacing())

        yield build
