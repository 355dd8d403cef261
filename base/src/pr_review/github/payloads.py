"""The parts of GitHub's JSON that are read, shared by events and the REST API.

Unknown fields are ignored, because GitHub adds fields at any time. Known fields must have their type.
"""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class Payload(BaseModel):
    """Base of all parts: ignores unknown fields, and converts no types."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, defer_build=True)


class AccountPayload(Payload):
    """A user, bot or organisation."""

    login: str


class LabelPayload(Payload):
    """A label."""

    name: str


class RepositoryPayload(Payload):
    """A repository."""

    full_name: str


class BranchPayload(Payload):
    """One side of a pull request. ``repo`` is null when the fork was deleted."""

    ref: str
    sha: str | None = Field(default=None, pattern=r"^[0-9a-f]{40}$")
    repo: RepositoryPayload | None = None


class PullPayload(Payload):
    """A pull request, as in events and the REST API. ``user`` is null for a deleted account."""

    number: int = Field(ge=1)
    title: str | None = None
    body: str | None = None
    user: AccountPayload | None = None
    base: BranchPayload
    head: BranchPayload
    draft: bool = False
    labels: list[LabelPayload] = Field(default_factory=list)
    author_association: str | None = None


class EventPayload(Payload):
    """The event file."""

    pull_request: PullPayload | None = None
    sender: AccountPayload | None = None
    inputs: dict[str, JsonValue] | None = None


class FilePayload(Payload):
    """One entry of a file list. ``status`` is GitHub's word."""

    filename: str
    status: str
    previous_filename: str | None = None


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
