"""Tells a reply of a model's API from what comes in its place: login pages, captive portals, plain text."""

import re
from collections.abc import Mapping
from dataclasses import replace

from pr_review.llm.errors.failure import ProviderFailure
from pr_review.llm.errors.kinds import NOT_AN_API
from pr_review.llm.http import HttpReply

EVENT_STREAM = "text/event-stream"
_JSON_TYPE = re.compile(r"(?:application|text)/(?:[\w.+-]+\+)?json", re.ASCII)
_PRINTABLE_TYPE = re.compile(r"[\w.+-]{1,40}/[\w.+-]{1,40}", re.ASCII)


def is_foreign(reply: HttpReply) -> bool:
    """Whether a body that is no JSON object comes from something else than an API.

    False means that it may be a model's reply that was cut or garbled, so that asking again may help.
    """
    start, kind = reply.body.lstrip()[:1], _media_type(reply.headers)
    if kind == EVENT_STREAM:
        return start == b"<"
    if kind:
        return start in {b"", b"<"} or not _JSON_TYPE.fullmatch(kind)
    return start != b"{"


def foreign_failure(reply: HttpReply) -> ProviderFailure:
    """The failure, which is not asked about again: it names the status and the type, and never the body."""
    return ProviderFailure(replace(NOT_AN_API, sentence=NOT_AN_API.sentence.format(what=_describe(reply))))


def _describe(reply: HttpReply) -> str:
    kind = _media_type(reply.headers)
    if not reply.body.strip():
        return f"status {reply.status} and an empty body"
    if _PRINTABLE_TYPE.fullmatch(kind):
        return f"status {reply.status} and a body of type {kind}"
    return f"status {reply.status} and a body without a usable content type"


def _media_type(headers: Mapping[str, str]) -> str:
    """The content type in lower case, without its parameters; "" when there is none."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()
