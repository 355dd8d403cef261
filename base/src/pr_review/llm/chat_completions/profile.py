"""What a provider profile is made of; the records themselves are in ``profiles``."""

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
STOP_ONLY = frozenset({"stop"})
LOOSE_FINISHES = frozenset({"stop", "tool_call", "function_call", "eos", "end_turn", ""})


@dataclass(frozen=True)
class Profile:
    """How one server speaks the wire format, as data; names of headers, fields and keys are the wire's."""

    name: str
    """The value of the ``provider-profile`` input that chooses this record."""

    server: str
    """What the documentation calls the server."""

    endpoint: str
    """A complete URL, as an example for the documentation."""

    model: str
    """The name of a model, as an example for the documentation."""

    hosts: tuple[str, ...] = ()
    """Patterns over ``host:port``; an endpoint that matches one gets this profile by itself."""

    key_header: str = "authorization"
    """The header that carries the key, with ``Bearer`` in front when it is ``authorization``."""

    session_header: str | None = None
    """The header that carries the run's random id, where a gateway asks for one."""

    vendor: str = "provider"
    """Begins the error codes ``…_authentication_failed`` and ``…_rate_limited``."""

    schema: SchemaForm = SchemaForm.CANONICAL
    """How much of JSON Schema the server takes in tool definitions."""

    output_cap: str | None = None
    """The server's name of the output cap; an ``extra-body`` with its other name is renamed."""

    never_send: frozenset[str] = frozenset()
    """Fields of the body that the server refuses together with tools."""

    body: JsonObject = field(default_factory=dict)
    """Fields of the body that the server needs."""

    unsent_keys: frozenset[str] = frozenset()
    """Keys of an assistant message that the server refuses when the message goes back."""

    unsent_nulls: frozenset[str] = frozenset()
    """Keys of an assistant message that the server refuses when they go back as null."""

    calls_imply_tools: frozenset[str] = frozenset()
    """Finish reasons that say nothing: a turn with calls is a tool turn, one without is final."""

    retried_finishes: frozenset[str] = frozenset()
    """Finish reasons that mean that the server gave up, so that the request is sent again."""

    tolerances: frozenset[Tolerance] = frozenset()
    """The deviations that are normalised instead of refused."""

    stream_usage: bool = True
    """Whether the server takes ``stream_options.include_usage``."""

    reasoning_off: bool = False
    """Whether ``reasoning_effort: none`` is sent once the server refuses tools because of reasoning."""

    note: str = ""
    """One or two sentences for the documentation."""

    def accepts(self, tolerance: Tolerance) -> bool:
        """Whether the deviation is normalised instead of refused."""
        return tolerance in self.tolerances
