"""``pr-review check``: are the settings good, is there a key, does the endpoint answer and call a tool?"""

from collections.abc import Iterator
from urllib.parse import urlsplit

import anyio

from pr_review.domain.change import Diff
from pr_review.domain.chat import Message, Reply, Role
from pr_review.domain.run import ProtocolAction
from pr_review.entry.deadline import Deadline
from pr_review.entry.settings import Settings
from pr_review.entry.surroundings import Surroundings
from pr_review.entry.wiring import OFFLINE, build_chat, choose_provider
from pr_review.errors import EXIT_OK, InvalidTurn
from pr_review.host.runner import neutralise
from pr_review.review import rounds
from pr_review.tools.registry import Toolbox
from pr_review.tools.show_diff import InspectGitDiff

CHECK_SECONDS = 120
PROMPT = (
    Message(role=Role.SYSTEM, content="You are being tested for tool calling."),
    Message(role=Role.USER, content='Call inspect_git_diff once, with paths ["README.md"]. Do nothing else.'),
)
TOOLBOX = Toolbox([InspectGitDiff(Diff("", "", ()))])


def run_check(around: Surroundings) -> int:
    """Print one line a fact, then what to change; returns the exit code.

    Raises ``PrReviewError`` for what does not work at all.
    """
    settings = Settings.from_mapping(around.environ)
    for note in settings.notes:
        around.say(f"note: {note}")
    around.say("settings: good")
    provider, _ = choose_provider(settings, without_secrets=False)
    if provider == OFFLINE:
        return _check_offline(around)
    key = "given" if settings.api_key else "none, and none is needed inside a private network"
    around.say(f"endpoint: {urlsplit(settings.endpoint).hostname}, key: {key}")
    around.say(f"profile: {_profile(settings)}")
    deadline = Deadline.after(min(CHECK_SECONDS, settings.timeout_seconds), around.clock)
    return anyio.run(_ask, settings, deadline, around)


def _check_offline(around: Surroundings) -> int:
    from pr_review.checks.ruff import find_ruff  # noqa: PLC0415 -- start-up: a model needs no checks

    around.say("provider: offline; it needs neither key nor network")
    around.say(f"ruff: {'found' if find_ruff() else 'not found; install it for the Python rules'}")
    return EXIT_OK


def _profile(settings: Settings) -> str:
    from pr_review.llm.profiles import GENERIC, choose_profile  # noqa: PLC0415 -- start-up: offline has none

    chosen = choose_profile(settings.endpoint, settings.provider_profile)
    if settings.provider_profile:
        return f"{chosen.name}, as provider-profile says"
    if chosen is GENERIC:
        return f"{chosen.name}, since no profile belongs to this host; it accepts no deviation"
    return f"{chosen.name}, by the endpoint's host"


async def _ask(settings: Settings, deadline: Deadline, around: Surroundings) -> int:
    """One request with one tool; a turn that a review would refuse ends with that error's exit code."""
    reviewer = build_chat(settings, deadline)
    started = around.clock()
    try:
        reply = await reviewer.model.complete(PROMPT, TOOLBOX.specs)
    finally:
        await reviewer.aclose()
    stats = reviewer.model.stats
    around.say(f"model: {neutralise(settings.model + _answering_model(settings, reply))}")
    around.say(f"latency: {int((around.clock() - started) * 1000)} ms, {stats.requests} request(s)")
    for event in stats.events:
        around.say(f"adapted: {event}")
    try:
        called = _calls_a_tool(settings, reply)
    except InvalidTurn as error:
        around.say(f"tools: not as this profile expects: {error.detail}")
        around.say(f"change: {error.advice}")
        return error.exit_code
    for line in _verdict(settings, reply, called=called):
        around.say(line)
    return EXIT_OK


def _answering_model(settings: Settings, reply: Reply) -> str:
    if reply.model in {None, settings.model}:
        return ""
    return f", answering as {reply.model!a}"


def _calls_a_tool(settings: Settings, reply: Reply) -> bool:
    """Whether the turn is a tool round that a review would run; raises as the review would."""
    if rounds.classify(reply) is not ProtocolAction.EXECUTE_TOOLS:
        return False
    return bool(rounds.plan(reply, TOOLBOX, settings.limits, seen_ids=frozenset(), calls_so_far=0))


def _verdict(settings: Settings, reply: Reply, *, called: bool) -> Iterator[str]:
    """How tools work here, and what to set."""
    if not called:
        yield "tools: offered but not called"
        yield "change: choose a model with reliable tool calling" + (
            "." if settings.tool_mode == "text" else ", or try tool-mode: text."
        )
    elif not reply.text_calls:
        yield "tools: native calls work"
        yield "change: nothing"
    elif settings.tool_mode == "text":
        yield "tools: called through text, as tool-mode says"
        yield "change: nothing"
    else:
        yield "tools: called through text, since the server refuses native ones"
        yield "change: set tool-mode: text, which saves a refused request a review."
