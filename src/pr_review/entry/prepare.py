"""Prepares the repository for a review: objects, the base's configuration, the diff, its selection."""

from dataclasses import dataclass

from pr_review.domain.change import Diff
from pr_review.entry import config_file
from pr_review.entry.known import Known
from pr_review.entry.settings import Settings
from pr_review.entry.subject import Subject
from pr_review.entry.trees import is_tracked
from pr_review.errors import HostError, RepositoryError, ToolFailure
from pr_review.repository.diff import compute_diff
from pr_review.repository.store import ObjectStore
from pr_review.repository.tree import HeadTree
from pr_review.review.selection import Selection, select

DEEPER = "Or add `with:` and `fetch-depth: 0` to the checkout step: then git itself knows the merge base."


@dataclass(frozen=True)
class Prepared:
    """The repository as the review sees it.

    ``settings`` are those of the workflow and the base commit; ``instructions`` are trusted text.
    """

    settings: Settings
    head: HeadTree
    diff: Diff
    selection: Selection
    commits: tuple[str, ...]
    instructions: str
    top_level: tuple[str, ...]


def prepare(store: ObjectStore, subject: Subject, settings: Settings, known: Known) -> Prepared:
    """Complete the objects, read the base's configuration, compute the diff and select its files.

    ``known`` gets each result as soon as it stands. Raises ``ConfigError``, ``RepositoryError`` or
    ``HostError``.
    """
    pull = subject.pull_request
    store.ensure(pull.base_sha, pull.head_sha, subject.source, pull.number or None)
    base = HeadTree.load(store.git, pull.base_sha)
    settings = known.settings = _with_config_file(settings, base)
    merge_base = store.merge_base(pull.base_sha, pull.head_sha) or _ask_merge_base(subject)
    store.ensure(merge_base, pull.head_sha, subject.source, pull.number or None)
    store.check_complete(merge_base, pull.head_sha)
    diff = known.diff = compute_diff(store.git, merge_base, pull.head_sha)
    selection = known.selection = select(diff, settings.include, settings.exclusions)
    head = HeadTree.load(store.git, pull.head_sha)
    known.is_tracked = lambda path: is_tracked(path, subject.workspace, (head, base))
    return Prepared(
        settings=settings,
        head=head,
        diff=diff,
        selection=selection,
        commits=store.commit_messages(merge_base, pull.head_sha),
        instructions=_instructions(settings, base),
        top_level=_top_level(head),
    )


def _top_level(head: HeadTree) -> tuple[str, ...]:
    """Names at the root of the tree, directories with a slash, so that a model need not guess them."""
    names = (path.partition("/") for path in head.files())
    return tuple(dict.fromkeys(f"{name}{slash}" for name, slash, _ in names))


def _with_config_file(settings: Settings, base: HeadTree) -> Settings:
    if not base.is_file(config_file.CONFIG_PATH):
        return settings
    return config_file.apply(settings, config_file.parse(_read(base, config_file.CONFIG_PATH)))


def _instructions(settings: Settings, base: HeadTree) -> str:
    """The workflow's instructions, then the base commit's guideline files, each under its name."""
    texts = [settings.instructions or ""]
    texts += [f"From {path}:\n\n{_read(base, path)}" for path in settings.guidelines]
    return "\n\n".join(filter(None, texts))


def _read(base: HeadTree, path: str) -> str:
    try:
        return base.read(path).text
    except ToolFailure as failure:
        raise RepositoryError(
            "unreadable_base_file",
            f"{path} of the base commit cannot be read: {failure.message}",
            "Correct the file on the base branch, or take it out of the configuration.",
        ) from failure


def _ask_merge_base(subject: Subject) -> str:
    if subject.merge_base is None:
        raise RepositoryError(
            "no_merge_base",
            "The checkout is too shallow to find the merge base, and GitHub was not asked.",
            f"Give the action a github-token. {DEEPER}",
        )
    try:
        return subject.merge_base()
    except HostError as error:
        if error.code != "no_common_history":
            error.advice += f" {DEEPER}"
        raise
