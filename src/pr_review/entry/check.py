"""``pr-review check``: are the settings good, is there a key, does the endpoint answer and call a tool?"""

from urllib.parse import urlsplit

import anyio

from pr_review.domain.chat import Message, Reply, Role
from pr_review.domain.run import ProtocolAction
from pr_review.entry.deadline import Deadline
from pr_review.entry.settings import Settings
from pr_review.entry.surroundings import Surroundings
from pr_review.entry.wiring import OFFLINE, build_chat, choose_provider
from pr_review.errors import EXIT_OK, PrReviewError
from pr_review.review.rounds import classify
from pr_review.tools.list_files import ListRepositoryFiles

CHECK_SECONDS = 120
PROMPT = (
    Message(role=Role.SYSTEM, content="You are being tested for tool calling."),
    Message(role=Role.USER, content="Call list_repository_files once, with no arguments. Do nothing else."),
)


def run_check(around: Surroundings) -> int:
    """Print one line a fact and what to change; raises ``PrReviewError`` for what does not work."""
    settings = Settings.from_mapping(around.environ)
    for note in settings.notes:
        around.say(f"note: {note}")
    around.say("settings: good")
    provider, _ = choose_provider(settings, without_secrets=False)
    if provider == OFFLINE:
        return _check_offline(around)
    around.say(f"endpoint: {urlsplit(settings.endpoint).hostname}, model: {settings.model}")
    around.say(f"key: {'given' if settings.api_key else 'none, and none is needed inside a private network'}")
    deadline = Deadline.after(min(CHECK_SECONDS, settings.timeout_seconds), around.clock)
    anyio.run(_ask, settings, deadline, around)
    return EXIT_OK


def _check_offline(around: Surroundings) -> int:
    from pr_review.checks.ruff import find_ruff  # noqa: PLC0415 -- start-up: a model needs no checks

    around.say("provider: offline; it needs neither key nor network")
    around.say(f"ruff: {'found' if find_ruff() else 'not found; install it for the Python rules'}")
    return EXIT_OK


async def _ask(settings: Settings, deadline: Deadline, around: Surroundings) -> None:
    reviewer = build_chat(settings, deadline)
    try:
        reply = await reviewer.model.complete(PROMPT, [ListRepositoryFiles.spec])
    finally:
        await reviewer.aclose()
    around.say(f"answer: {deadline.elapsed_ms()} ms, {reviewer.model.stats.requests} request(s)")
    for event in reviewer.model.stats.events:
        around.say(f"adapted: {event}")
    around.say(_judge(reply))


def _judge(reply: Reply) -> str:
    """What the answer says of the server's tool calling, and what to set."""
    try:
        called = classify(reply) is ProtocolAction.EXECUTE_TOOLS
    except PrReviewError as error:
        return f"tools: not as this profile expects: {error.detail} {error.advice}"
    if called and reply.text_calls:
        return "tools: called through text; set tool-mode: text to save the refused first request"
    if called:
        return "tools: native calls work"
    return "tools: offered but not called; try tool-mode: text, or a model with reliable tool calling"
