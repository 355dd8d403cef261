"""What a provider profile is made of (decision 5); the records themselves are in ``profiles``."""

from dataclasses import dataclass, field
from enum import StrEnum

from pr_review.domain.frozen import JsonObject
from pr_review.llm.chat_completions.schemas import SchemaForm


class Tolerance(StrEnum):
    """One deviation of a reply that a profile may accept; the value completes "accepts …"."""

    MISSING_IDS = 'call ids that are missing, empty or `"null"`'
    DUPLICATE_IDS = "the same call id twice in a turn"
    REPEATED_IDS = "call ids that start anew in each turn"
    MISSING_TYPE = "calls without a type"
    POLLUTED_NAMES = "control tokens behind a tool's name"
    OBJECT_ARGUMENTS = "arguments as an object"
    EMPTY_ARGUMENTS = "empty arguments where none are required"
    DOUBLE_ENCODING = "arguments encoded twice"
    CONTENT_PARTS = "content as a list of parts"
    THINK_BLOCK = "a leading `<think>` block"
    MISSING_INDEX = "streamed calls without an index"
    SHARED_INDEX = "streamed calls that share an index"
    ERROR_IN_SUCCESS = "an error inside a 200 reply, handled as its status"
    BROKEN_STREAM = "a stream that breaks off or is garbled, by asking again"
    REFUSED_CALL = "the server's refusal of its own model's call, by asking again"


NULLS = frozenset({"audio", "function_call", "refusal"})
CALLS_DECIDE = frozenset({"stop"})
LOOSE_FINISHES = frozenset({"stop", "tool_call", "function_call", "eos", "end_turn", ""})


@dataclass(frozen=True)
class Profile:
    """One server. Names of headers, body fields and message keys are those of the wire.

    ``hosts`` are patterns over ``host:port``. ``key_header`` carries the key, with ``Bearer`` when it is
    ``authorization``. ``session_header`` carries the run's random id. ``vendor`` prefixes two error codes
    (items 61, 62). ``output_cap`` is how this server names the output cap. ``never_send`` are fields that it
    refuses together with tools; ``body`` are fields it needs. ``unsent_keys`` are never replayed in assistant
    messages, ``unsent_nulls`` not when they are null. Under ``calls_decide`` finish reasons, calls are what
    makes a turn a tool turn; ``retried_finishes`` mean that the server gave up. ``stream_usage``: takes
    ``stream_options.include_usage``. ``reasoning_off``: may be sent ``reasoning_effort: none`` once it
    refuses tools because of reasoning. ``endpoint``, ``model`` and ``note`` are for the documentation.
    """

    name: str
    server: str
    endpoint: str
    model: str
    hosts: tuple[str, ...] = ()
    key_header: str = "authorization"
    session_header: str | None = None
    vendor: str = "provider"
    schema: SchemaForm = SchemaForm.CANONICAL
    output_cap: str | None = None
    never_send: frozenset[str] = frozenset()
    body: JsonObject = field(default_factory=dict)
    unsent_keys: frozenset[str] = frozenset()
    unsent_nulls: frozenset[str] = frozenset()
    calls_decide: frozenset[str] = frozenset()
    retried_finishes: frozenset[str] = frozenset()
    tolerances: frozenset[Tolerance] = frozenset()
    stream_usage: bool = True
    reasoning_off: bool = False
    note: str = ""

    def accepts(self, tolerance: Tolerance) -> bool:
        """Whether the deviation is put right instead of refused."""
        return tolerance in self.tolerances
