"""``pr-review check``: are the settings good, is there a key, does the endpoint answer and call a tool?"""

from collections.abc import Iterator
from urllib.parse import urlsplit

import anyio

from pr_review.actions.commands import neutralise
from pr_review.app.deadline import Deadline
from pr_review.app.process import Process
from pr_review.app.wiring import OFFLINE, choose_provider, open_chat
from pr_review.config.settings import Settings
from pr_review.conversation.budget import ConversationBudget
from pr_review.conversation.tool_calls import asks_for_tools, check_ids, plan_round
from pr_review.domain.change import Diff
from pr_review.domain.chat import Message, Reply, Role
from pr_review.errors import EXIT_OK, InvalidTurn
from pr_review.tools.canonical.inspect_git_diff import InspectGitDiff
from pr_review.tools.toolbox import Toolbox

CHECK_SECONDS = 120
PROMPT = (
    Message(role=Role.SYSTEM, content="You are being tested for tool calling."),
    Message(role=Role.USER, content='Call inspect_git_diff once, with paths ["README.md"]. Do nothing else.'),
)
TOOLBOX = Toolbox([InspectGitDiff(Diff("", "", ()))])


def run_check(process: Process) -> int:
    """Print one line a fact, then what to change; returns the exit code.

    Raises ``PrReviewError`` for what does not work at all.
    """
    settings = Settings.from_mapping(process.environ)
    for note in settings.notes:
        process.say(f"note: {note}")
    process.say("settings: good")
    provider, _ = choose_provider(settings, without_secrets=False)
    if provider == OFFLINE:
        return _check_offline(process)
    key = "given" if settings.api_key else "none, and none is needed inside a private network"
    process.say(f"endpoint: {urlsplit(settings.endpoint).hostname}, key: {key}")
    process.say(f"profile: {_profile(settings)}")
    deadline = Deadline.after(min(CHECK_SECONDS, settings.timeout_seconds), process)
    return anyio.run(_ask, settings, deadline, process)


def _check_offline(process: Process) -> int:
    from pr_review.checks.ruff import find_ruff  # noqa: PLC0415 -- start-up: a model needs no checks

    process.say("provider: offline; it needs neither key nor network")
    process.say(f"ruff: {'found' if find_ruff() else 'not found; install it for the Python rules'}")
    return EXIT_OK


def _profile(settings: Settings) -> str:
    from pr_review.llm.chat_completions.profiles import GENERIC, choose_profile  # noqa: PLC0415 -- start-up: offline has none

    chosen = choose_profile(settings.endpoint, settings.provider_profile)
    if settings.provider_profile:
        return f"{chosen.name}, as provider-profile says"
    if chosen is GENERIC:
        return f"{chosen.name}, since no profile belongs to this host; it accepts no deviation"
    return f"{chosen.name}, by the endpoint's host"


async def _ask(settings: Settings, deadline: Deadline, process: Process) -> int:
    """One request with one tool; a turn that a review would refuse ends with that error's exit code."""
    chat = open_chat(settings, deadline)
    model = chat.open_model()
    started = process.clock()
    try:
        reply = await model.complete(PROMPT, TOOLBOX.specs)
    finally:
        await chat.aclose()
    stats = chat.budget.stats
    process.say(f"model: {neutralise(settings.model + _answering_model(settings, reply))}")
    process.say(f"latency: {int((process.clock() - started) * 1000)} ms, {stats.requests} request(s)")
    for event in stats.events:
        process.say(f"adapted: {event}")
    try:
        called = _calls_a_tool(settings, reply)
    except InvalidTurn as error:
        process.say(f"tools: not as this profile expects: {error.detail}")
        process.say(f"change: {error.advice}")
        return error.exit_code
    for line in _verdict(settings, called=called, in_text=model.text_mode):
        process.say(line)
    return EXIT_OK


def _answering_model(settings: Settings, reply: Reply) -> str:
    if reply.model in {None, settings.model}:
        return ""
    return f", answering as {reply.model!a}"


def _calls_a_tool(settings: Settings, reply: Reply) -> bool:
    """Whether the turn is a tool round that a review would run; raises as the review would."""
    if not asks_for_tools(reply):
        return False
    check_ids(reply, frozenset())
    ConversationBudget(settings.limits).check_calls(len(reply.calls))
    return bool(plan_round(reply, TOOLBOX))


def _verdict(settings: Settings, *, called: bool, in_text: bool) -> Iterator[str]:
    """How tools work here, and what to set."""
    if not called:
        yield "tools: offered but not called"
        yield "change: choose a model with reliable tool calling" + (
            "." if settings.tool_mode == "text" else ", or try tool-mode: text."
        )
    elif not in_text:
        yield "tools: native calls work"
        yield "change: nothing"
    elif settings.tool_mode == "text":
        yield "tools: called through text, as tool-mode says"
        yield "change: nothing"
    else:
        yield "tools: called through text, since the server refuses native ones"
        yield "change: set tool-mode: text, which saves a refused request a review."
