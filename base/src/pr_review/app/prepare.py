"""Prepares the repository for a review: objects, the base's configuration, the diff, the head's files."""

from dataclasses import dataclass
from functools import partial

from pr_review.app.target import ReviewTarget
from pr_review.config import repository_file
from pr_review.config.settings import Settings
from pr_review.domain.change import Diff, PullRequest
from pr_review.errors import HostError, RepositoryError, Skipped, ToolFailure
from pr_review.git.diff import compute_diff
from pr_review.git.object_store import ObjectStore
from pr_review.git.reviewed_trees import ReviewedTrees
from pr_review.git.search import Searcher
from pr_review.git.tree import CommitTree
from pr_review.review.selection import Selection

DEEPER = "Or add `with:` and `fetch-depth: 0` to the checkout step: then git itself knows the merge base."


@dataclass(frozen=True)
class Prepared:
    """The repository as the review sees it.

    ``settings`` are those of the workflow and the base commit. ``instructions`` are trusted text.
    ``top_level`` are the names at the root of the head, folders with a slash.
    """

    settings: Settings
    pull_request: PullRequest
    diff: Diff
    selection: Selection
    head: CommitTree
    trees: ReviewedTrees
    searcher: Searcher
    commits: tuple[str, ...]
    instructions: str
    top_level: tuple[str, ...]


def load_base(store: ObjectStore, target: ReviewTarget) -> CommitTree:
    """Fill the store, complete both commits, and return the tree of the base.

    Raises ``ConfigError`` or ``RepositoryError``.
    """
    pull = target.pull_request
    store.fill()
    store.ensure(pull.base_sha, pull.head_sha, target.source, pull.number or None)
    return CommitTree.load(store.git, pull.base_sha)


def read_settings(settings: Settings, base: CommitTree) -> Settings:
    """The settings with what the base commit's configuration file says; raises ``ConfigError``."""
    if not base.is_file(repository_file.CONFIG_PATH):
        return settings
    return repository_file.apply(settings, repository_file.parse(_read(base, repository_file.CONFIG_PATH)))


def compute_change(store: ObjectStore, target: ReviewTarget) -> Diff:
    """The change from the merge base to the head.

    Raises ``RepositoryError``, ``HostError`` or ``ConfigError``.
    """
    pull = target.pull_request
    merge_base = store.merge_base(pull.base_sha, pull.head_sha) or _ask_merge_base(target)
    store.ensure(merge_base, pull.head_sha, target.source, pull.number or None)
    store.check_complete(merge_base, pull.head_sha)
    return compute_diff(store.git, merge_base, pull.head_sha)


def load_head(store: ObjectStore, diff: Diff) -> CommitTree:
    """The tree of the head; raises ``RepositoryError``."""
    return CommitTree.load(store.git, diff.head_sha)


def prepare(
    store: ObjectStore,
    target: ReviewTarget,
    *,
    settings: Settings,
    base: CommitTree,
    head: CommitTree,
    diff: Diff,
    selection: Selection,
) -> Prepared:
    """Everything else that a review needs of the repository; raises ``RepositoryError``."""
    return Prepared(
        settings=settings,
        pull_request=target.pull_request,
        diff=diff,
        selection=selection,
        head=head,
        trees=ReviewedTrees(head, partial(CommitTree.load, store.git, diff.merge_base_sha)),
        searcher=Searcher(store.git, head, diff.head_sha),
        commits=store.commit_messages(diff.merge_base_sha, diff.head_sha),
        instructions=_instructions(settings, base),
        top_level=_top_level(head),
    )


def nothing_selected(diff: Diff) -> Skipped:
    """Why there is nothing to review."""
    if not diff.files:
        advice = "Commit something, or compare with another base."
        return Skipped("no_changes", "The pull request changes nothing.", advice)
    return Skipped(
        "all_excluded",
        "Every changed file is excluded from the review.",
        "Change include or exclude if that is not what you want.",
    )


def _top_level(head: CommitTree) -> tuple[str, ...]:
    """Names at the root of the tree, so that a model need not guess them."""
    names = (path.partition("/") for path in head.files())
    return tuple(dict.fromkeys(f"{name}{slash}" for name, slash, _ in names))


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
    if target.github is None:
        raise RepositoryError(
            "no_merge_base",
            "The checkout is too shallow to find the merge base, and GitHub was not asked.",
            f"Give the action a github-token. {DEEPER}",
        )
    pull = target.pull_request
    try:
        return target.github.merge_base(pull.owner, pull.repository, pull.base_sha, pull.head_sha)
    except HostError as error:
        if error.code == "no_common_history":
            raise
        raise HostError(error.code, error.detail, f"{error.advice} {DEEPER}") from error
