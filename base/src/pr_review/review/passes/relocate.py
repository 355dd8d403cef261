"""One question about all findings whose quote is nowhere: which code is meant (input ``relocate``).

The new quote is validated like the original one: it must stand in a file and resemble the old quote, else the
finding stays as it was.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pr_review.conversation.answer_protocol import TextAnswer
from pr_review.conversation.conversation import Conversation
from pr_review.domain.run import MAX_FINDINGS
from pr_review.domain.sizes import KIB
from pr_review.domain.strict_json import load_object
from pr_review.errors import ConfigError, ModelError, ReviewStopped, TerminationReason
from pr_review.findings.reviewed_files import ReviewedFiles
from pr_review.findings.submission import Submission, SubmittedFinding, Text

MAX_QUESTION_BYTES = 64 * KIB
RESEMBLING = 0.5  # the share of common words from which a quote is another wording of the same code

QUESTION = """\
These findings of your review quote code that stands in none of the files, so they cannot be placed. Find \
the code that each one is about and quote it again, copied exactly as it was shown to you. Call no tool. \
Reply with exactly one JSON object, without Markdown and without any text around it, and leave out a finding \
whose code you cannot find:

{"quotes": [{"finding": 1, "existing_code": "the affected lines"}]}

The findings, one a line:
"""

_WORD = re.compile(r"\w+")


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class _Quote(_Strict):
    finding: int
    existing_code: Text


class _Answer(_Strict):
    quotes: Annotated[list[_Quote], Field(max_length=MAX_FINDINGS)]


async def relocate(
    conversation: Conversation[Submission], submission: Submission, files: ReviewedFiles
) -> tuple[Submission, tuple[str, ...]]:
    """Ask the model once, if any finding is lost: the submission with what it found, and a note about it.

    A model that cannot be asked or does not answer leaves the submission as it is.
    """
    lost = await anyio.to_thread.run_sync(find_lost, submission, files, abandon_on_cancel=True)
    if not lost:
        return submission, ()
    try:
        quotes = await _ask(conversation, word_question(submission, lost))
    except (ModelError, ConfigError) as error:  # the latter: a key or a model that is refused
        return submission, (
            f"The quotes of {len(lost)} findings could not be asked for again: {error.code}.",
        )
    again, taken = await anyio.to_thread.run_sync(
        take_quotes, submission, quotes, files, abandon_on_cancel=True
    )
    return again, (
        f"Findings that quote code which is nowhere: {len(lost)}; asked again, {taken} could be placed.",
    )


async def _ask(conversation: Conversation[Submission], question: str) -> Mapping[int, str]:
    """New quotes by the finding's index; none when no round is left, or when the model only calls tools."""
    try:
        return await conversation.follow_up(question, QUOTES)
    except ReviewStopped as stop:
        if stop.termination_reason is TerminationReason.MAX_ROUNDS and stop.code == stop.termination_reason:
            return {}
        raise


def find_lost(submission: Submission, files: ReviewedFiles) -> list[int]:
    """The findings, by index, that quote code which is nowhere."""
    quoting = (index for index, each in enumerate(submission.findings) if (each.existing_code or "").strip())
    return [index for index in quoting if not _has_home(submission.findings[index], files)]


def word_question(submission: Submission, lost: Sequence[int]) -> str:
    """The question about these findings, as many of them as fit; they are numbered by index, from 1."""
    lines: list[str] = []
    left = MAX_QUESTION_BYTES - len(QUESTION)
    for index in lost:
        line = _describe(index + 1, submission.findings[index])
        left -= len(line.encode())
        if left < 0:
            break
        lines.append(line)
    return QUESTION + "".join(lines)


def parse_answer(text: str) -> dict[int, str]:
    """New quotes by the finding's index; empty for anything but the exact shape."""
    try:
        answer = _Answer.model_validate(load_object(unfence(text)))
    except ValidationError:
        return {}
    return {quote.finding - 1: quote.existing_code for quote in answer.quotes}


def unfence(text: str) -> str:
    """The body of a text that is one fenced block; any other text unchanged."""
    lines = text.strip().split("\n")
    fenced = len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```"
    return "\n".join(lines[1:-1]) if fenced else text


def take_quotes(
    submission: Submission, quotes: Mapping[int, str], files: ReviewedFiles
) -> tuple[Submission, int]:
    """The submission with each new quote that resembles the old one and stands somewhere; how many do.

    Only findings that are lost (``find_lost``) are touched.
    """
    findings = list(submission.findings)
    taken = 0
    for index in set(find_lost(submission, files)) & set(quotes):
        again = findings[index].model_copy(update={"existing_code": quotes[index]})
        if _resembles(findings[index].existing_code or "", quotes[index]) and _has_home(again, files):
            findings[index] = again
            taken += 1
    return submission.model_copy(update={"findings": findings}), taken


def _has_home(finding: SubmittedFinding, files: ReviewedFiles) -> bool:
    quote = finding.existing_code or ""
    path = files.resolve_path(finding.path)
    if path is not None and files.index(path).contains(quote):
        return True
    return files.find_only_patch_with(quote) is not None


def _resembles(old: str, new: str) -> bool:
    before, after = frozenset(_WORD.findall(old)), frozenset(_WORD.findall(new))
    return len(before & after) >= RESEMBLING * len(before | after) > 0


def _describe(number: int, finding: SubmittedFinding) -> str:
    shown = {
        "finding": number,
        "path": finding.path,
        "title": finding.title,
        "existing_code": finding.existing_code,
    }
    return json.dumps(shown, ensure_ascii=False) + "\n"


QUOTES: TextAnswer[Mapping[int, str]] = TextAnswer(parse_answer, {})  # the one turn it has is never repaired
