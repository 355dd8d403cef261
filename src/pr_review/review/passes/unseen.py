"""One question to a model that ended its review before it was shown all of the change.

Its second answer adds to the first: nothing that it found before is lost.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pr_review.conversation.conversation import Conversation
from pr_review.domain.change import ChangedFile
from pr_review.domain.shown import ShownLines
from pr_review.domain.sizes import KIB
from pr_review.errors import InternalError, PrReviewError, ReviewStopped
from pr_review.findings.submission import RuleSubmission, Submission, SubmittedFinding
from pr_review.git.hunk_pieces import head_line
from pr_review.git.patch_excerpt import unread_parts
from pr_review.review.passes.find import Ended
from pr_review.review.prompt import fence

MAX_LIST_BYTES = 8 * KIB
QUESTION = """\
You were not shown all of this change, and rounds are left. What you reported is kept. Call inspect_git_diff \
for the files below: it goes on after what you were shown. Then reply with the whole final review, what you \
reported before and what you find in the rest.

Files with lines that you were not shown:
{files}
"""
ASKED = "The model ended its review before it was shown all of the change; it was asked once more."


class Unseen(NamedTuple):
    """A conversation that can be asked about lines that nobody was shown, by its place, and the question."""

    place: int
    question: str


def find_unseen(ended: Sequence[Ended[Submission]], files: Sequence[ChangedFile]) -> Unseen | None:
    """What to ask about these files, and whom; None when all was shown, or when nobody can go on.

    Rules are never asked: they look at all that can be shown by themselves.
    """
    covered = ShownLines.union(each.conversation.record.covered for each in ended)
    lines = "\n".join(line for file in files for line in _describe(file, covered))
    if not lines:
        return None
    able = (place for place, each in enumerate(ended) if _can_go_on(each))
    place = next(able, None)
    return None if place is None else Unseen(place, QUESTION.format(files=fence(lines, MAX_LIST_BYTES)))


async def ask_about_unseen(ended: Sequence[Ended[Submission]], unseen: Unseen) -> list[Ended[Submission]]:
    """The ends of the conversations, with what the one that was asked answered.

    A budget that ends the second answer ends the review. Any other failure leaves the first answer as it was.
    """
    first = ended[unseen.place]
    first.conversation.record.events.append(ASKED)
    again = await _ask(first.conversation, unseen.question)
    answer = merge(first.answer, again.answer) if first.answer and again.answer else first.answer
    return [*ended[: unseen.place], again._replace(answer=answer), *ended[unseen.place + 1 :]]


def merge(first: Submission, second: Submission) -> Submission:
    """The second answer, with what only the first one reported."""
    repeated = {_identity(finding) for finding in second.findings}
    dropped = [finding for finding in first.findings if _identity(finding) not in repeated]
    notes = dict.fromkeys((*second.notes, *first.notes))
    return second.model_copy(update={"findings": [*second.findings, *dropped], "notes": [*notes]})


async def _ask(conversation: Conversation[Submission], question: str) -> Ended[Submission]:
    try:
        return Ended(conversation, await conversation.go_on(question))
    except PrReviewError as error:
        answer = conversation.cut_answer()
        if isinstance(error, ReviewStopped | InternalError):
            return Ended(conversation, answer, error)
        conversation.record.events.append(f"{ASKED} It did not answer: {error.code}.")
        return Ended(conversation, answer)


def _can_go_on(ended: Ended[Submission]) -> bool:
    asks_a_model = ended.answer is not None and not isinstance(ended.answer, RuleSubmission)
    conversation = ended.conversation
    can = conversation.may_go_on and not conversation.record.truncated_by_server
    return asks_a_model and ended.error is None and can


def _describe(file: ChangedFile, covered: ShownLines) -> Iterator[str]:
    """One line about a file of which something can still be shown."""
    parts = list(unread_parts(file, covered))
    if file.binary or file.oversized or not parts:
        return
    first = parts[0]
    where = f" from line {head_line(first.hunk, first.start)} on" if first.hunk else ""
    yield f"{file.path}{where}"


def _identity(finding: SubmittedFinding) -> tuple[str, str, str, str]:
    """What a finding keeps when it is told again; ``merge_duplicates`` finds those that are worded anew."""
    title = " ".join(finding.title.casefold().split())
    return finding.path, title, str(finding.line), finding.existing_code or ""
