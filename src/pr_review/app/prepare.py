"""Prepares the repository for a review: objects, the base's configuration, the diff, its selection."""

from dataclasses import dataclass

from pr_review.app.run_state import RunState
from pr_review.app.target import ReviewTarget
from pr_review.config import repository_file
from pr_review.config.settings import Settings
from pr_review.domain.change import Diff
from pr_review.errors import HostError, RepositoryError, ToolFailure
from pr_review.git.diff import compute_diff
from pr_review.git.object_store import ObjectStore
from pr_review.git.reviewed_trees import is_tracked
from pr_review.git.tree import CommitTree
from pr_review.review.selection import Selection, select

DEEPER = "Or add `with:` and `fetch-depth: 0` to the checkout step: then git itself knows the merge base."


@dataclass(frozen=True)
class Prepared:
    """The repository as the review sees it.

    ``settings`` are those of the workflow and the base commit; ``instructions`` are trusted text.
    """

    settings: Settings
    head: CommitTree
    diff: Diff
    selection: Selection
    commits: tuple[str, ...]
    instructions: str
    top_level: tuple[str, ...]


def prepare(store: ObjectStore, target: ReviewTarget, settings: Settings, known: RunState) -> Prepared:
    """Complete the objects, read the base's configuration, compute the diff and select its files.

    ``known`` gets each result as soon as it stands. Raises ``ConfigError``, ``RepositoryError`` or
    ``HostError``.
    """
    pull = target.pull_request
    store.ensure(pull.base_sha, pull.head_sha, target.source, pull.number or None)
    base = CommitTree.load(store.git, pull.base_sha)
    settings = known.settings = _with_config_file(settings, base)
    merge_base = store.merge_base(pull.base_sha, pull.head_sha) or _ask_merge_base(target)
    store.ensure(merge_base, pull.head_sha, target.source, pull.number or None)
    store.check_complete(merge_base, pull.head_sha)
    diff = known.diff = compute_diff(store.git, merge_base, pull.head_sha)
    selection = known.selection = select(diff, settings.include, settings.exclusions)
    head = CommitTree.load(store.git, pull.head_sha)
    known.is_tracked = lambda path: is_tracked(path, target.workspace, (head, base))
    return Prepared(
        settings=settings,
        head=head,
        diff=diff,
        selection=selection,
        commits=store.commit_messages(merge_base, pull.head_sha),
        instructions=_instructions(settings, base),
        top_level=_top_level(head),
    )


def _top_level(head: CommitTree) -> tuple[str, ...]:
    """Names at the root of the tree, directories with a slash, so that a model need not guess them."""
    names = (path.partition("/") for path in head.files())
    return tuple(dict.fromkeys(f"{name}{slash}" for name, slash, _ in names))


def _with_config_file(settings: Settings, base: CommitTree) -> Settings:
    if not base.is_file(repository_file.CONFIG_PATH):
        return settings
    return repository_file.apply(settings, repository_file.parse(_read(base, repository_file.CONFIG_PATH)))


def _instructions(settings: Settings, base: CommitTree) -> str:
    """The workflow's instructions, then the base commit's guideline files, each under its name."""
    texts = [settings.instructions or ""]
    texts += [f"From {path}:\n\n{_read(base, path)}" for path in settings.guidelines]
    return "\n\n".join(filter(None, texts))


def _read(base: CommitTree, path: str) -> str:
    try:
        return base.read(path).text
    except ToolFailure as failure:
        raise RepositoryError(
            "unreadable_base_file",
            f"{path} of the base commit cannot be read: {failure.message}",
            "Correct the file on the base branch, or take it out of the configuration.",
        ) from failure


def _ask_merge_base(target: ReviewTarget) -> str:
    if target.merge_base is None:
        raise RepositoryError(
            "no_merge_base",
            "The checkout is too shallow to find the merge base, and GitHub was not asked.",
            f"Give the action a github-token. {DEEPER}",
        )
    try:
        return target.merge_base()
    except HostError as error:
        if error.code != "no_common_history":
            error.advice += f" {DEEPER}"
        raise
