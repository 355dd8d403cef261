"""The only composition root: which classes stand behind the ports, chosen from settings."""

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from pr_review.app.deadline import Deadline
from pr_review.config.settings import Settings
from pr_review.domain.change import ChangedFile, Diff
from pr_review.domain.chat import Message, ToolSpec
from pr_review.domain.finding import FindingKey
from pr_review.domain.run import Limits
from pr_review.errors import ConfigError, Skipped
from pr_review.git.object_store import ObjectStore
from pr_review.git.search import Searcher
from pr_review.git.tree import CommitTree
from pr_review.llm.model import ChatModel
from pr_review.tools.canonical.inspect_git_diff import InspectGitDiff
from pr_review.tools.canonical.list_repository_files import ListRepositoryFiles
from pr_review.tools.canonical.read_repository_file import ReadRepositoryFile
from pr_review.tools.canonical.search_repository import SearchRepository
from pr_review.tools.registry import Toolbox

OFFLINE = "offline"


async def _nothing() -> None:
    """There is nothing to close."""


@dataclass(frozen=True)
class Reviewer:
    """A model with its budgets.

    ``reads_prompt``: what the first message shows counts as seen. ``preview`` encodes a first request without
    sending it. Offline, ``checks`` names what ran on each file, ``in_part`` the files of which only added
    lines were checked, ``rules`` what proved each finding.
    """

    provider: str
    model: ChatModel
    limits: Limits
    reads_prompt: bool
    preview: Callable[[Sequence[Message], Sequence[ToolSpec]], bytes]
    checks: Callable[[], Mapping[str, tuple[str, ...]]] = dict
    in_part: Callable[[], frozenset[str]] = frozenset
    rules: Callable[[], Mapping[FindingKey, str] | None] = lambda: None
    aclose: Callable[[], Awaitable[None]] = _nothing


def build_toolbox(store: ObjectStore, head: CommitTree, diff: Diff) -> Toolbox:
    """The four tools over one head commit (item 17)."""
    return Toolbox(
        [
            ListRepositoryFiles(head),
            ReadRepositoryFile(head),
            SearchRepository(Searcher(store.git, head, diff.head_sha)),
            InspectGitDiff(diff),
        ]
    )


def choose_provider(
    settings: Settings, *, without_secrets: bool, sends: bool = True
) -> tuple[str, str | None]:
    """The provider that reviews, and a note when it is not the one asked for.

    A dry run ``sends`` nothing, so it goes on without the key that a review will need.

    Raises ``ConfigError`` or ``Skipped`` for a missing key, as ``on-missing-key`` says.
    """
    if not settings.key_missing:
        return settings.provider, None
    policy = settings.missing_key_policy(without_secrets=without_secrets)
    if policy == "offline":
        where = "GitHub gives this event no secrets" if without_secrets else "No api-key was given"
        return OFFLINE, f"{where}, so rules reviewed this change, not a model."
    if policy == "skip":
        raise Skipped("missing_key", "There is no api-key, and on-missing-key is skip.", "Give an api-key.")
    if not sends:
        return settings.provider, "There is no api-key yet; a review needs one."
    raise ConfigError(
        "missing_key",
        "There is no api-key for the provider.",
        "Set the api-key input from a secret (in a shell: OPENCODE_API_KEY), or review without a model "
        "(provider: offline, --provider offline), or set on-missing-key.",
    )


def build_reviewer(
    provider: str, settings: Settings, files: Sequence[ChangedFile], head: CommitTree, deadline: Deadline
) -> Reviewer:
    """The model behind ``provider`` with its budgets."""
    if provider == OFFLINE:
        return _offline(settings, files, head)
    return build_chat(settings, deadline)


def _offline(settings: Settings, files: Sequence[ChangedFile], head: CommitTree) -> Reviewer:
    from pr_review.checks.ruff import Ruff, find_ruff  # noqa: PLC0415 -- start-up: a model needs no checks
    from pr_review.offline.limits import limits_for  # noqa: PLC0415 -- start-up: as above
    from pr_review.offline.offline_model import OfflineModel  # noqa: PLC0415 -- start-up: as above

    paths = [file.path for file in files if file.addressable]
    ruff = find_ruff()
    model = OfflineModel(paths, Ruff(ruff) if ruff else None)
    sizes = [head.file_size(path) if head.is_file(path) else 0 for path in paths]
    return Reviewer(
        provider=OFFLINE,
        model=model,
        limits=limits_for(settings.limits, sizes),
        reads_prompt=False,
        preview=lambda _messages, _tools: b"",
        checks=lambda: model.checks_by_path,
        in_part=lambda: model.checked_in_part,
        rules=lambda: model.rules,
    )


def build_chat(settings: Settings, deadline: Deadline) -> Reviewer:
    """The model behind the endpoint; the caller awaits ``aclose``."""
    from pr_review.llm.budget import RequestBudget  # noqa: PLC0415 -- start-up: offline sends nothing
    from pr_review.llm.chat_completions.chat_model import ChatSettings, OpenAIChat  # noqa: PLC0415 -- start-up: as above
    from pr_review.llm.chat_completions.profiles import choose_profile  # noqa: PLC0415 -- start-up: as above
    from pr_review.llm.http import open_client  # noqa: PLC0415 -- start-up: as above
    from pr_review.llm.retry import Pacing  # noqa: PLC0415 -- start-up: as above

    client = open_client(settings.endpoint)
    model = OpenAIChat(
        ChatSettings(
            endpoint=settings.endpoint,
            model=settings.model,
            profile=choose_profile(settings.endpoint, settings.provider_profile),
            session_id=str(uuid.uuid4()),
            api_key=settings.api_key,
            extra_headers=settings.extra_headers,
            extra_body=settings.extra_body,
            stream=settings.stream,
            tool_mode=settings.tool_mode,
        ),
        client=client,
        budget=RequestBudget(settings.max_requests),
        pacing=Pacing(deadline.remaining),
    )
    return Reviewer(
        provider=settings.provider,
        model=model,
        limits=settings.limits,
        reads_prompt=True,
        preview=model.encode_body,
        aclose=client.aclose,
    )
