"""Reads a model's final review finding by finding, so that one slip never loses the others.

What can be read in one way only is read as it is meant and counted. An answer with anything else is refused,
with the field and the rule, so that it is asked for again. ``settle_review`` then makes one review of the
last answer and of those that were refused: no sound finding is lost, and every other one is listed.
docs/findings.md states the rules.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from pydantic import JsonValue, ValidationError

from pr_review.domain.finding import Category, Confidence, RefusedFinding, Severity
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import MAX_FINDINGS, MAX_NOTES
from pr_review.domain.tolerant_json import JsonFault, JsonSlip, read_object
from pr_review.errors import InvalidTurn, TerminationReason
from pr_review.findings.answer_fields import FieldFault, FieldReader, Reading
from pr_review.findings.submission import Submission, SubmittedFinding

MAX_FAULTS = 8  # that a model is told at once
TOO_MANY = f"A review holds at most {MAX_FINDINGS} findings, the most severe ones first."

NO_OBJECT = "must be an object"

_REVIEW_KEYS = tuple(Submission.model_fields)
_FINDING_KEYS = tuple(SubmittedFinding.model_fields)
_REQUIRED = frozenset(name for name, info in SubmittedFinding.model_fields.items() if info.is_required())


class ReadSubmission(Submission):
    """A review that was read as it is meant.

    ``readings`` are sentences on what was read differently from how it was written. ``refused`` are the
    findings that are not among ``findings``. ``is_partial``: some of them could not be read.
    """

    readings: tuple[str, ...] = ()
    refused: tuple[RefusedFinding, ...] = ()
    is_partial: bool = False


class Entry(NamedTuple):
    """One finding of an answer: ``finding`` when it can be read, else ``fault`` says why not."""

    refused: RefusedFinding
    finding: SubmittedFinding | None = None

    @property
    def fault(self) -> str:
        """The field and the rule that it broke; "" for a sound finding."""
        reason = self.refused.reason
        where = f"findings[{self.refused.number - 1}]{': ' if reason == NO_OBJECT else '.'}"
        return "" if self.finding else f"{where}{reason}"


@dataclass(frozen=True)
class Answer:
    """An answer taken apart; ``readings`` are sentences on what was read as meant."""

    summary: str
    notes: Sequence[str]
    entries: Sequence[Entry]
    readings: Sequence[str]

    @property
    def sound(self) -> list[SubmittedFinding]:
        """The findings that can be read."""
        return [entry.finding for entry in self.entries if entry.finding]

    @property
    def unreadable(self) -> list[Entry]:
        """The findings that cannot."""
        return [entry for entry in self.entries if not entry.finding]


def read_review(text: str) -> ReadSubmission:
    """The review in a text, with every finding that it holds.

    Raises ``InvalidTurn``, with its ``faults``, unless all of it can be read.
    """
    try:
        answer = take_apart(text)
    except (JsonFault, FieldFault) as error:
        raise _invalid("The model's final answer is no review that can be read.", [str(error)]) from None
    if faults := [entry.fault for entry in answer.unreadable]:
        total = len(answer.entries)
        raise _invalid(f"{len(faults)} of {total} findings of the model's review cannot be read.", faults)
    return _compose(answer)


def settle_review(last: Submission | None, refused: Sequence[str]) -> Submission | None:
    """One review of the last answer and of those that were refused before it, as texts.

    ``last`` is None when the model is not asked again. Then the answer with the most sound findings stands,
    and None is returned when no answer has any. Sound findings that the standing answer leaves out are kept.
    Findings that no answer says in a way that can be read are refused, and so are those beyond the limit.
    """
    answers = [answer for text in reversed(refused) if (answer := _try_apart(text)) and answer.entries]
    unreadable: list[Entry] = []
    if last is None:
        best = max(answers, key=lambda answer: (len(answer.sound), -len(answer.unreadable)), default=None)
        if best is None or not best.sound:
            return None
        answers.remove(best)
        last, unreadable = _compose(best), best.unreadable
    return _merge(as_read(last), unreadable, answers)


def as_read(review: Submission) -> ReadSubmission:
    """The review, with nothing that was read as meant when its reader was strict."""
    if isinstance(review, ReadSubmission):
        return review
    return ReadSubmission.model_construct(
        **dict(review),
        readings=(),
        refused=(),
        is_partial=False,
    )


def take_apart(text: str) -> Answer:
    """The parts of an answer; raises ``JsonFault`` or ``FieldFault`` for what is no review at all."""
    value, slips = read_object(text)
    reader = FieldReader()
    fields = reader.keys(value, _REVIEW_KEYS)
    entries = _read_findings(fields, reader)
    if not entries and {JsonSlip.BEFORE, JsonSlip.AFTER} <= slips:  # an example inside prose looks so
        raise FieldFault("findings: is empty in an object inside other text; reply with the object alone")
    summary, notes = reader.side_text(fields.get("summary")), _read_notes(fields.get("notes"), reader)
    counted = [(slip.value, 1) for slip in sorted(slips)]
    counted += [(reading.value, times) for reading, times in reader.counts.items()]
    return Answer(summary, notes, entries, [_say(words, times) for words, times in counted])


def _try_apart(text: str) -> Answer | None:
    try:
        return take_apart(text)
    except (JsonFault, FieldFault):
        return None


def _read_findings(fields: JsonObject, reader: FieldReader) -> list[Entry]:
    given = fields.get("findings")
    if "findings" not in fields:
        raise FieldFault("findings: is missing; it must be a list, empty when nothing was found")
    if not isinstance(given, list):
        raise FieldFault("findings: must be a list of objects")
    return [_read_entry(number, value, reader) for number, value in enumerate(given, start=1)]


def _read_entry(number: int, value: JsonValue, reader: FieldReader) -> Entry:
    if not isinstance(value, dict):
        return Entry(RefusedFinding(number=number, reason=NO_OBJECT))
    fields = reader.keys(value, _FINDING_KEYS)
    title, path = (_text_or_nothing(fields.get(name)) for name in ("title", "path"))
    try:
        finding = _read_finding(fields, reader)
    except FieldFault as fault:
        return Entry(RefusedFinding(number=number, title=title, path=path, reason=str(fault)))
    return Entry(RefusedFinding(number=number, title=finding.title, path=path, reason=""), finding)


def _read_finding(fields: JsonObject, reader: FieldReader) -> SubmittedFinding:
    severity = reader.severity(fields.get("severity"))
    title, explanation = reader.names(fields)
    line, end_line = reader.lines(fields.get("line"), fields.get("end_line"))
    read: JsonObject = {
        "severity": severity,
        "title": title,
        "explanation": explanation,
        "path": reader.path(fields.get("path")),
        "line": line,
        "evidence": reader.side_text(fields.get("evidence")),
        "recommendation": reader.side_text(fields.get("recommendation")),
        "end_line": end_line,
        "existing_code": reader.code(fields.get("existing_code")),
        "suggestion": reader.code(fields.get("suggestion")),
        "category": reader.hint(fields.get("category"), Category),
        "confidence": reader.hint(fields.get("confidence"), Confidence),
    }
    return _validated(fields | read, reader)


def _validated(fields: JsonObject, reader: FieldReader) -> SubmittedFinding:
    """The finding; an optional field that is still not what it should be is passed over."""
    try:
        return SubmittedFinding.model_validate(fields)
    except ValidationError as error:
        wrong = {str(each["loc"][0]) for each in error.errors(include_input=False, include_url=False)}
    if required := sorted(wrong & _REQUIRED):
        raise FieldFault(f"{required[0]}: is not what the schema asks for")
    reader.read_as(Reading.HINT)
    return SubmittedFinding.model_validate({key: each for key, each in fields.items() if key not in wrong})


def _read_notes(value: JsonValue, reader: FieldReader) -> list[str]:
    """At most ``MAX_NOTES`` notes; the last of them counts the others."""
    if value is None:
        reader.read_as(Reading.MISSING)
        return []
    given = [each for each in (value if isinstance(value, list) else [value]) if each is not None]
    if len(given) <= MAX_NOTES:
        return [reader.note(each) for each in given]
    kept = [reader.note(each) for each in given[: MAX_NOTES - 1]]
    return [*kept, f"The reviewer wrote {len(given) - len(kept)} more notes, which did not fit."]


def _compose(answer: Answer) -> ReadSubmission:
    """The sound findings of an answer as a review."""
    return ReadSubmission.model_construct(
        summary=answer.summary,
        findings=answer.sound,
        notes=list(answer.notes),
        readings=tuple(answer.readings),
        refused=(),
        is_partial=False,
    )


def _within_limit(review: ReadSubmission) -> ReadSubmission:
    """The first ``MAX_FINDINGS`` by severity; the others are refused."""
    if len(review.findings) <= MAX_FINDINGS:
        return review
    ranked = sorted(enumerate(review.findings, 1), key=lambda each: Severity(each[1].severity).rank)
    kept = sorted(ranked[:MAX_FINDINGS], key=itemgetter(0))
    surplus = [
        RefusedFinding(number=number, title=found.title, path=found.path, reason=TOO_MANY)
        for number, found in ranked[MAX_FINDINGS:]
    ]
    findings = [found for _, found in kept]
    return review.model_copy(update={"findings": findings, "refused": (*review.refused, *surplus)})


def _merge(last: ReadSubmission, unreadable: Sequence[Entry], answers: Sequence[Answer]) -> ReadSubmission:
    """The review with what only other answers say; ``unreadable`` are findings of its own answer."""
    findings = list(last.findings)
    lost: list[Entry] = []
    for answer in answers:
        left_out = _left_out(answer.entries, findings)
        findings += [entry.finding for entry in left_out if entry.finding]
        lost += [entry for entry in left_out if not entry.finding]
    added = findings[len(last.findings) :]
    lost = [*_left_out(unreadable, added), *lost]
    refused = {(each.refused.title, each.refused.path, each.refused.reason): each.refused for each in lost}
    readings = (*last.readings, *([_KEPT.format(len(added))] if added else []))
    return _within_limit(
        last.model_copy(
            update={
                "findings": findings,
                "refused": (*last.refused, *refused.values()),
                "readings": readings,
                "is_partial": bool(refused),
            }
        )
    )


def _left_out(entries: Sequence[Entry], findings: Sequence[SubmittedFinding]) -> list[Entry]:
    """The entries that ``findings`` do not repeat; each finding repeats at most one of them.

    An equal title is the same finding. Else it is the same line or code of one file; for an entry that could
    not be read, the same file, or any finding when it names none.
    """
    pool = _Pool(findings)
    renamed = [entry for entry in entries if not pool.take(_title_key(entry.refused.title))]
    return [entry for entry in renamed if not any(map(pool.take, _place_keys(entry)))]


Key = tuple[JsonValue, ...]
_ANY: Key = ("any",)


class _Pool:
    """Findings by everything that may tell which one another answer means; each can be taken once."""

    def __init__(self, findings: Sequence[SubmittedFinding]) -> None:
        self._numbers: dict[Key, list[int]] = {}
        self._taken: set[int] = set()
        for number, found in enumerate(findings):
            for key in (_title_key(found.title), *_sound_keys(found), ("path", found.path), _ANY):
                self._numbers.setdefault(key, []).append(number)

    def take(self, key: Key) -> bool:
        """Take one finding that has the key; whether there was one."""
        numbers = self._numbers.get(key, [])
        while numbers:
            number = numbers.pop()
            if number not in self._taken:
                self._taken.add(number)
                return True
        return False


def _title_key(title: str) -> Key:
    return ("title", " ".join(title.casefold().split()) or None)


def _sound_keys(found: SubmittedFinding) -> Iterator[Key]:
    if isinstance(found.line, int):
        yield ("line", found.path, found.line)
    if (found.existing_code or "").strip():
        yield ("code", found.path, found.existing_code)


def _place_keys(entry: Entry) -> Iterator[Key]:
    if entry.finding:
        yield from _sound_keys(entry.finding)
    else:
        yield ("path", entry.refused.path) if entry.refused.path else _ANY


def _text_or_nothing(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


_KEPT = (
    "Findings of an answer that was asked for again, which the last answer left out and which are kept: {}."
)


def _say(words: str, times: int) -> str:
    often = f" ({times} times)" if times > 1 else ""
    return f"Read as meant in the model's answer: {words}{often}."


def _invalid(detail: str, faults: Sequence[str]) -> InvalidTurn:
    more = [f"and {len(faults) - MAX_FAULTS} more"] if len(faults) > MAX_FAULTS else []
    return InvalidTurn(
        TerminationReason.INVALID_MODEL_RESPONSE,
        f"{detail} The first problem: {faults[0].rstrip('.')}.",
        "Run again; if it persists choose a model that follows a JSON schema.",
        faults=(*faults[:MAX_FAULTS], *more),
    )
