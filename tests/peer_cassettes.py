"""The recorded conversations, and what the product makes of each."""

import json
from dataclasses import replace

from tests.peer_recordings import Heard, Recording, Turn
from tests.peers.aimock import REVIEW

from pr_review.llm.chat_completions.profile import Tolerance

DIFF = ("inspect_git_diff", "{}")
READ = ("read_repository_file", '{"path":"app.py","end_line":2}')
SEARCH = ("search_repository", '{"query":"total"}')
CLEAN = '{"summary":"Averages rows.","findings":[],"notes":[]}'
FAULTS = (
    {"type": "fail", "status": 429, "times": 1, "retry_after": 0.3},
    {"type": "reply", "tool_calls": [{"name": "inspect_git_diff", "arguments": {}}]},
    {"type": "reply", "text": CLEAN},
)
# A model of 135 million parameters calls and reviews only where a grammar leaves it nothing else.
FORCED_CALL = {"tool_calls": [{"name": "read_repository_file", "arguments": {"path": "app.py"}}]}
HELLO = "Hello! I'm here to help with your programming tasks. What can I assist with?"
FENCED = f"```json\n{json.dumps(FORCED_CALL)}\n```"
CALLS_BY_GRAMMAR = {
    "tool_mode": "text",
    "extra_body": {"grammar": f"root ::= {json.dumps(FENCED)}", "max_tokens": 64},
}


def final(text: str, usage: tuple[int, int, int] | None) -> Turn:
    return Turn("stop", text=text, usage=usage)


AIMOCK = (
    Recording(
        "aimock",
        "rounds",
        "two-rounds",
        Heard(
            requests=3,
            turns=(
                Turn("tool_calls", (DIFF, READ), None, (9, 17, 26)),
                Turn("tool_calls", (SEARCH,), "And callers?", (14, 12, 26)),
                final(REVIEW["content"], (20, 80, 100)),
            ),
        ),
    ),
    Recording(
        "aimock",
        "thinks",
        "thinks",
        Heard(
            requests=2,
            turns=(
                Turn("tool_calls", (DIFF,), None, (9, 5, 14)),
                final(REVIEW["content"], (12, 80, 92)),
            ),
        ),
    ),
    Recording(
        "aimock",
        "calls-first",
        "calls-first",
        Heard(
            requests=2,
            turns=(
                Turn("tool_calls", (DIFF,), "Hm.", (9, 6, 15)),
                final(REVIEW["content"], (12, 80, 92)),
            ),
        ),
    ),
    Recording("aimock", "quota", "is-broke", Heard(error="provider_quota_exhausted")),
)
LLMOCK = (
    Recording(
        "llmock",
        "faults",
        "m",
        Heard(
            requests=3,
            waited=(0.3,),  # in milliseconds, since the header in seconds rounds up
            turns=(Turn("tool_calls", (DIFF,), None, (8, 1, 9)), final(CLEAN, (10, 13, 23))),
        ),
        queued=FAULTS,
    ),
)
LITELLM = (
    replace(AIMOCK[0], server="litellm", profile="litellm"),
    Recording("litellm", "overflow", "overflows-itself", Heard(error="context_overflow"), "litellm"),
    Recording(
        "litellm",
        "limit",
        "is-limited",
        Heard(requests=5, waited=(1.0, 2.0, 4.0, 8.0), error="provider_rate_limited"),
        "litellm",
    ),
)
# Its proxy says ``stop`` beside calls, and repeats the id of its mocked call.
LITELLM_STOPS = Recording(
    "litellm",
    "stops",
    "always-calls",
    Heard(
        requests=4,
        turns=(Turn("tool_calls", (DIFF,), "Let me see.", (10, 20, 30)),) * 4,
        events=(
            f"Put right under profile litellm: {Tolerance.LOOSE_FINISH} (4 times).",
            f"Put right under profile litellm: {Tolerance.REPEATED_IDS} (3 times).",
        ),
    ),
    "litellm",
)
LLAMACPP = (
    Recording(
        "llamacpp",
        "answer",
        "smollm2",
        Heard(turns=(final(HELLO, (21, 19, 40)),)),
        "llamacpp",
        question="Say hello.",
    ),
    Recording(
        "llamacpp",
        "calls",
        "smollm2",
        Heard(
            requests=4,
            turns=tuple(
                Turn("tool_calls", (("read_repository_file", "{'path': 'app.py'}"),), FENCED, usage)
                for usage in ((450, 36, 486), (513, 35, 548), (576, 35, 611), (639, 35, 674))
            ),
        ),
        "llamacpp",
        options=CALLS_BY_GRAMMAR,
    ),
    Recording(
        "llamacpp",
        "overflow",
        "smollm2",
        Heard(error="context_overflow"),
        "llamacpp",
        question="Read it. " * 2000,
    ),
)


def streamed(recording: Recording) -> Recording:
    """The same as a stream. The profile ``generic`` does not ask for usage in streams."""
    heard = recording.heard
    if recording.profile == "generic":
        heard = replace(heard, turns=tuple(replace(turn, usage=None) for turn in heard.turns))
    return replace(recording, stream=True, heard=heard)


WHOLE = (*AIMOCK, *LLMOCK, *LITELLM, *LLAMACPP)
RECORDINGS = (*WHOLE, LITELLM_STOPS, *map(streamed, WHOLE))
