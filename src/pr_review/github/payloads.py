"""The parts of GitHub's JSON that are read, shared by events and the REST API.

Unknown fields are ignored, because GitHub adds fields at any time. Known fields must have their type. Null
means the same as absent.
"""

import json
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator

from pr_review.domain.text import shorten

MAX_LABELS = 1000  # GitHub allows 100
MAX_NAME_CHARS = 4096  # the longest path that Linux can check out
MAX_NUMBER = 9_999_999_999


class Payload(BaseModel):
    """Base of all parts: ignores unknown fields, and converts no types."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if name in cls.model_fields and value is not None}


def _first_present(items: Any) -> Any:
    """The items that are not null. One more than is used tells that there are more."""
    if not isinstance(items, list):
        return items
    return [item for item in items[: MAX_LABELS + 1] if item is not None]


def _cut_name(name: Any) -> Any:
    return shorten(name, MAX_NAME_CHARS) if isinstance(name, str) else name


FileName = Annotated[str, BeforeValidator(_cut_name)]
Number = Annotated[int, Field(ge=1, le=MAX_NUMBER)]


class AccountPayload(Payload):
    """A user, bot or organisation."""

    login: str | None = None


class LabelPayload(Payload):
    """A label."""

    name: str = ""


class RepositoryPayload(Payload):
    """A repository."""

    full_name: str | None = None


class BranchPayload(Payload):
    """One side of a pull request. ``repo`` is null when the fork was deleted."""

    ref: str = ""
    sha: str | None = Field(default=None, pattern=r"^[0-9a-f]{40}$")
    repo: RepositoryPayload = RepositoryPayload()


class PullPayload(Payload):
    """A pull request, as in events and the REST API. ``user`` is null for a deleted account."""

    number: Number
    title: str = ""
    body: str = ""
    user: AccountPayload = AccountPayload()
    base: BranchPayload = BranchPayload()
    head: BranchPayload = BranchPayload()
    draft: bool = False
    labels: Annotated[list[LabelPayload], BeforeValidator(_first_present)] = Field(default_factory=list)
    author_association: str | None = None


class PullReference(Payload):
    """A pull request that an event only names. ``url`` is the API's."""

    number: Number
    url: str | None = None


class RunPayload(Payload):
    """A workflow run, a check run or a check suite. GitHub names no pull request of a fork."""

    pull_requests: Annotated[list[PullReference], BeforeValidator(_first_present)] = Field(
        default_factory=list
    )


class PostPayload(Payload):
    """A comment or a discussion: what somebody wrote."""

    user: AccountPayload = AccountPayload()
    author_association: str | None = None


class IssuePayload(PostPayload):
    """An issue; ``pull_request`` is there when it is one."""

    number: Number
    pull_request: dict[str, JsonValue] | None = None


class EventPayload(Payload):
    """The event file."""

    action: str | None = None
    pull_request: PullPayload | None = None
    sender: AccountPayload = AccountPayload()
    repository: RepositoryPayload = RepositoryPayload()
    inputs: dict[str, JsonValue] = Field(default_factory=dict)
    issue: IssuePayload | None = None
    comment: PostPayload | None = None
    discussion: PostPayload | None = None
    workflow_run: RunPayload = RunPayload()
    check_run: RunPayload = RunPayload()
    check_suite: RunPayload = RunPayload()


class FilePayload(Payload):
    """One entry of a file list. ``status`` is GitHub's word."""

    filename: FileName
    status: str
    previous_filename: FileName | None = None


class FilesPayload(Payload):
    """One page of a pull request's files."""

    items: list[FilePayload]


class CommitPayload(Payload):
    """A commit."""

    sha: str = Field(pattern=r"^[0-9a-f]{40}$")


class ComparisonPayload(Payload):
    """The comparison of two commits."""

    merge_base_commit: CommitPayload
    files: list[FilePayload] = Field(default_factory=list)


PayloadT = TypeVar("PayloadT", bound=Payload)


def validate_payload(model: type[PayloadT], data: Any) -> PayloadT:
    """Validate JSON data. Lone surrogates in a text become ``?``. Raises ``pydantic.ValidationError``."""
    return model.model_validate_json(json.dumps(data, ensure_ascii=False).encode(errors="replace"))
