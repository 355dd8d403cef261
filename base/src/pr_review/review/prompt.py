"""The first two messages: packaged templates rendered with data; untrusted text stands inside fences."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from pr_review.domain.change import ChangedFile, PullRequest
from pr_review.domain.chat import HunkId, Message, Role
from pr_review.domain.finding import Category, Severity
from pr_review.domain.run import MAX_FIELD_BYTES, MAX_FINDINGS, MAX_NOTES, Limits
from pr_review.domain.sizes import KIB
from pr_review.review.selection import Selection

TEMPLATES = ("system.md", "final_review.json", "instructions.md", "user.md")
MAX_PATCH_BYTES = 128 * KIB
MAX_BODY_BYTES = 16 * KIB
MAX_COMMITS_BYTES = 8 * KIB
MAX_FILE_LIST_BYTES = 64 * KIB
MAX_TOP_LEVEL_BYTES = 2 * KIB
COMMIT_SEPARATOR = "\n\n---\n\n"
VERSION_CHARS = 12


@dataclass(frozen=True)
class Prompt:
    """The conversation's start, and the hunks that it already shows whole."""

    messages: tuple[Message, ...]
    shown: frozenset[HunkId]


@dataclass(frozen=True)
class PatchExcerpt:
    """Whole hunks that fit, and the files of which something did not."""

    text: str
    shown: frozenset[HunkId]
    left: tuple[ChangedFile, ...]


@cache
def _template(name: str) -> Template:
    return Template(files(__package__).joinpath("templates", name).read_text(encoding="utf-8"))


def prompt_version() -> str:
    """Hash of the templates: equal versions told models the same."""
    text = "\0".join(_template(name).template for name in TEMPLATES)
    return hashlib.sha256(text.encode()).hexdigest()[:VERSION_CHARS]


def _final_schema() -> str:
    return (
        _template("final_review.json")
        .substitute(severities=" | ".join(Severity), categories=" | ".join(Category))
        .strip()
    )


def render_system(limits: Limits, language: str, instructions: str) -> str:
    """The system message: task, untrusted data, method, bar, severities, schema, budgets."""
    text = _template("system.md").substitute(
        schema=_final_schema(),
        language=language,
        max_findings=MAX_FINDINGS,
        max_notes=MAX_NOTES,
        max_field_kib=MAX_FIELD_BYTES // KIB,
        max_rounds=limits.max_rounds,
        max_tool_calls=limits.max_tool_calls,
        calls_per_round=limits.calls_per_round,
        tool_context_kib=limits.tool_context_bytes // KIB,
    )
    if instructions.strip():
        text += _template("instructions.md").substitute(instructions=instructions.strip())
    return text


def render_user(
    pull_request: PullRequest,
    merge_base: str,
    commits: Sequence[str],
    selection: Selection,
    top_level: Sequence[str],
) -> tuple[str, frozenset[HunkId]]:
    """The user message, and which hunks it shows whole."""
    patch = select_patch(selection.selected, MAX_PATCH_BYTES)
    text = _template("user.md").substitute(
        subject=f"pull request: {pull_request.url}" if pull_request.url else "change of a local repository.",
        base_ref=fence(pull_request.base_ref, inline=True),
        merge_base=merge_base,
        head=pull_request.head_sha,
        title=fence(pull_request.title),
        body=fence(pull_request.body, MAX_BODY_BYTES),
        commits=fence(_join_messages(commits), MAX_COMMITS_BYTES),
        files=fence("\n".join(map(_describe, selection.selected)), MAX_FILE_LIST_BYTES),
        top_level=fence("\n".join(top_level), MAX_TOP_LEVEL_BYTES),
        excluded=fence(_describe_excluded(selection), MAX_BODY_BYTES),
        patch_extent=", in part" if patch.left else "",
        patch=fence(patch.text, info="diff"),
        left=_left_note(patch.left),
    )
    return text, patch.shown


def build_prompt(
    pull_request: PullRequest,
    merge_base: str,
    commits: Sequence[str],
    selection: Selection,
    limits: Limits,
    *,
    language: str,
    instructions: str,
    top_level: Sequence[str] = (),
) -> Prompt:
    """System and user message for one review."""
    user, shown = render_user(pull_request, merge_base, commits, selection, top_level)
    system = render_system(limits, language, instructions)
    messages = (Message(role=Role.SYSTEM, content=system), Message(role=Role.USER, content=user))
    return Prompt(messages, shown)


def select_patch(selected: Sequence[ChangedFile], max_bytes: int) -> PatchExcerpt:
    """Fill ``max_bytes`` with whole hunks in diff order; a hunk that does not fit is left, never cut."""
    parts: list[str] = []
    shown: set[HunkId] = set()
    left: list[ChangedFile] = []
    used = 0
    for file in selected:
        pending = file.header
        complete = not file.oversized
        for index, hunk in enumerate(file.hunks):
            length = len((pending + hunk.text).encode())
            if used + length > max_bytes:
                complete = False
                continue
            parts.append(pending + hunk.text)
            pending = ""
            used += length
            shown.add(HunkId(path=file.path, index=index))
        if not file.hunks and used + len(pending.encode()) <= max_bytes:
            parts.append(pending)
            used += len(pending.encode())
            shown.add(HunkId(path=file.path, index=0))
        elif not file.hunks:
            complete = False
        if not complete:
            left.append(file)
    return PatchExcerpt("".join(parts), frozenset(shown), tuple(left))


def fence(text: str, max_bytes: int | None = None, *, info: str = "", inline: bool = False) -> str:
    """Text inside a code fence longer than any run of backticks in it; a cut is said outside the fence."""
    cut = text if max_bytes is None else text.encode()[:max_bytes].decode(errors="ignore")
    longest = max((len(run) for run in re.findall(r"`+", cut)), default=0)
    if inline:
        ticks = "`" * (longest + 1)
        return f"{ticks}{' '.join(cut.split())}{ticks}"
    ticks = "`" * max(3, longest + 1)
    note = "" if cut == text else f"\n(the first {max_bytes} bytes of {len(text.encode())})"
    return f"{ticks}{info}\n{cut.rstrip(chr(10))}\n{ticks}{note}" if cut.strip() else "(none)"


def _describe(file: ChangedFile) -> str:
    origin = f" from {file.old_path}" if file.old_path and file.old_path != file.path else ""
    return f"{file.path} ({file.status}{origin}, +{file.additions} -{file.deletions})"


def _join_messages(commits: Sequence[str]) -> str:
    """Commit messages; those that are all a subject only take a line each."""
    subjects_only = all("\n" not in message for message in commits)
    return ("\n" if subjects_only else COMMIT_SEPARATOR).join(commits)


def _describe_excluded(selection: Selection) -> str:
    """One line a reason, with the paths that it leaves out."""
    by_reason: dict[str, list[str]] = {}
    for path, reason in selection.excluded.items():
        by_reason.setdefault(reason, []).append(path)
    return "\n".join(f"{reason}: {', '.join(paths)}" for reason, paths in by_reason.items())


def _left_note(left: Sequence[ChangedFile]) -> str:
    if not left:
        return "\nThe patch above is complete."
    paths = "\n".join(file.path for file in left)
    listed = fence(paths, MAX_BODY_BYTES)
    return f"\nPatch not shown, or not whole; call inspect_git_diff for these files:\n{listed}"
