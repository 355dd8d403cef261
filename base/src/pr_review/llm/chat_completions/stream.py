"""Assembles a streamed reply into the body that the server would have sent in one piece.

Both paths share everything after that (envelope, normalising, validation), so both yield the same turn.
"""

import json
from dataclasses import replace

from pydantic import JsonValue

from pr_review.domain import strict_json
from pr_review.domain.frozen import JsonObject
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.llm.chat_completions.envelope import finish_word, malformed, only_choice
from pr_review.llm.chat_completions.profile import Profile, Tolerance
from pr_review.llm.chat_completions.profiles import accepting, profile_hint
from pr_review.llm.chat_completions.usage import find_usage
from pr_review.llm.errors.classify import classify_failure, error_status
from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import STREAM_BROKEN
from pr_review.llm.server_sent_events import EventReader

DONE = b"[DONE]"
_CONSTANT_KEYS = frozenset({"id", "name", "role", "type"})  # sent once or repeated, never in pieces


class StreamAssembler:
    """Takes the body's bytes; ``body()`` is the whole reply, in the shape of a non-streaming one."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._reader = EventReader()
        self._calls = CallAssembler(profile)
        self._body: JsonObject = {}
        self._message: JsonObject = {}
        self._finish: str | None = None
        self._error: JsonObject | None = None
        self._garbled = False
        self._done = False

    def feed(self, chunk: bytes) -> bool:
        """Take in bytes; true once the rest does not matter: after ``[DONE]`` or an error."""
        for data in self._reader.feed(chunk):
            self._event(data)
        return self._done

    def body(self) -> JsonObject | ProviderFailure:
        """The assembled reply, or the failure of a stream that reported an error or broke off."""
        for data in self._reader.close():
            self._event(data)
        if self._error is not None or self._garbled or self._finish is None:
            return self._broken()
        if "role" not in self._message:  # some servers never say whose turn they stream
            self._message = {"role": "assistant", **self._message}
        choice: JsonObject = {"index": 0, "finish_reason": self._finish, "message": self._message}
        return join_surrogates(self._body | {"choices": [choice]})

    def _broken(self) -> ProviderFailure:
        """Nothing of a partial reply is used; a profile may have the request sent again."""
        if not self._profile.accepts(Tolerance.BROKEN_STREAM):
            hint = profile_hint(accepting(Tolerance.BROKEN_STREAM))
            return ProviderFailure(replace(STREAM_BROKEN, retries=0), note=hint)
        if self._error is None:
            return ProviderFailure(STREAM_BROKEN)
        return classify_failure(error_status(self._error), {}, self._error, vendor=self._profile.vendor)

    def _event(self, data: bytes) -> None:
        if self._done:
            return
        if data.strip() == DONE:
            self._done = True
            return
        chunk = self._chunk(data)
        if chunk.get("error"):
            self._error, self._done = chunk, True
            return
        if usage := find_usage(chunk):
            self._body["usage"] = usage.model_dump()
        self._body |= {
            key: chunk[key] for key in ("id", "model") if chunk.get(key) and not self._body.get(key)
        }
        if chunk.get("choices"):  # an empty list is legal in chunks only, for example in one with usage
            self._choice(only_choice(chunk))

    def _chunk(self, data: bytes) -> JsonObject:
        """One decoded chunk. A garbled one is refused, or ends the stream where the profile asks again."""
        try:
            chunk = strict_json.loads(data)
        except ValueError:
            if not self._profile.accepts(Tolerance.BROKEN_STREAM):
                hint = profile_hint(accepting(Tolerance.BROKEN_STREAM))
                raise malformed("A chunk of the stream is not valid JSON.", hint) from None
            self._garbled = self._done = True
            return {}
        if not isinstance(chunk, dict):
            raise malformed("A chunk of the stream is not a JSON object.")
        return chunk

    def _choice(self, choice: JsonObject) -> None:
        delta, finish = choice.get("delta") or {}, finish_word(choice)
        if not isinstance(delta, dict):
            raise malformed("A chunk of the stream holds no delta.")
        for key, value in delta.items():
            if key == "tool_calls" and value:
                self._calls.add(value, final=bool(finish))
                self._message[key] = self._calls.calls
            else:
                self._message[key] = merge(key, self._message.get(key), value)
        if not self._finish and finish is not None:  # the first wins; some servers send "" until the end
            self._finish = finish


class CallAssembler:
    """Tool calls from their fragments. A fragment belongs to its index, else its id, else the last call."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._by_index: dict[int, JsonObject] = {}
        self._by_id: dict[str, JsonObject] = {}
        self.calls: list[JsonValue] = []

    def add(self, fragments: JsonValue, *, final: bool) -> None:
        """Take in one delta's fragments; a ``final`` chunk has the finish reason and may repeat calls."""
        for fragment in fragments if isinstance(fragments, list) else [fragments]:
            if not isinstance(fragment, dict):
                raise malformed("A chunk of the stream holds a tool call that is not an object.")
            call = self._place(fragment)
            if not (final and _repeats(call, fragment)):
                self._extend(call, fragment)

    def _place(self, fragment: JsonObject) -> JsonObject:
        index, call_id = fragment.get("index"), fragment.get("id")
        if not isinstance(index, int) or isinstance(index, bool):
            self._require(Tolerance.MISSING_INDEX, TerminationReason.INVALID_MODEL_RESPONSE)
            return self._known(call_id) or self._new_or_last(fragment)
        call = self._by_index.get(index)
        if call is not None and call_id and call.get("id") and call_id != call.get("id"):
            self._require(Tolerance.SHARED_INDEX, TerminationReason.INVALID_TOOL_CALL)
            call = self._known(call_id)
        self._by_index[index] = call if call is not None else self._new()
        return self._by_index[index]

    def _extend(self, call: JsonObject, fragment: JsonObject) -> None:
        for key, value in fragment.items():
            if key != "index":
                call[key] = merge(key, call.get(key), value)
        if isinstance(call_id := call.get("id"), str):
            self._by_id.setdefault(call_id, call)

    def _known(self, call_id: JsonValue) -> JsonObject | None:
        return self._by_id.get(call_id) if isinstance(call_id, str) and call_id else None

    def _new_or_last(self, fragment: JsonObject) -> JsonObject:
        """An id or a name starts a call; anything else continues the last one."""
        function = fragment.get("function")
        named = isinstance(function, dict) and function.get("name")
        last = self.calls[-1] if self.calls else None
        return self._new() if fragment.get("id") or named or not isinstance(last, dict) else last

    def _new(self) -> JsonObject:
        call: JsonObject = {}
        self.calls.append(call)
        return call

    def _require(self, tolerance: Tolerance, reason: TerminationReason) -> None:
        if not self._profile.accepts(tolerance):
            detail = "The indexes of the streamed tool calls are missing or shared."
            raise InvalidTurn(reason, detail, profile_hint(accepting(tolerance)))


def merge(key: str, old: JsonValue, new: JsonValue) -> JsonValue:
    """One key of a growing message: text and lists grow, objects merge, null never erases.

    Raises ``InvalidTurn`` when an id, name, role or type changes on the way.
    """
    if new is None or old is None:
        return old if new is None else new
    if key in _CONSTANT_KEYS:
        if old and new and old != new:
            raise malformed("The stream contradicts itself about a role, id, type or name.")
        return old or new
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *new]
    if isinstance(old, dict) and isinstance(new, dict):
        return old | {name: merge(name, old.get(name), value) for name, value in new.items()}
    return new


def join_surrogates(body: JsonObject) -> JsonObject:
    r"""Join the halves of a character that came in two pieces (``"\ud83d"``, then ``"\ude00"``)."""
    joined: JsonObject = json.loads(json.dumps(body))
    return joined


def _repeats(call: JsonObject, fragment: JsonObject) -> bool:
    """Whether a final chunk says a whole call once more, as some servers do."""
    if not fragment.get("id") or fragment.get("id") != call.get("id"):
        return False
    said, again = call.get("function"), fragment.get("function")
    return (
        isinstance(said, dict) and isinstance(again, dict) and bool(said.get("arguments")) and said == again
    )
