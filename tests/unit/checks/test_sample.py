"""The planted defects of the sample, found by the checks alone from what git says was added."""

import json
import subprocess
from io import StringIO

import pytest
from unidiff.patch import PatchSet

from pr_review.checks.registry import run_checks
from pr_review.checks.source import Source

NINE = {
    "undefined name", "mutable default", "swallowed exception", "shell injection", "hard-coded cloud key",
    "conflict marker", "breakpoint()", "it.only", "TLS verification off",
}  # fmt: skip


def git(repo, *arguments):
    return subprocess.run(["git", *arguments], cwd=repo, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def sample(build_sample, tmp_path_factory):
    return build_sample.build(tmp_path_factory.mktemp("sample"))


def added_lines(sample):
    diff = git(sample.repo, "diff", "--no-renames", sample.merge_base_sha, sample.head_sha)
    for file in PatchSet(StringIO(diff, newline="\n")):
        lines = [line for hunk in file for line in hunk if line.is_added]
        yield file.path, {line.target_line_no: line.value.removesuffix("\n") for line in lines}


def test_every_planted_defect_is_found_at_its_line_and_nothing_else(sample, build_sample, linter):
    hits = [
        {"path": path, "line": hit.line}
        for path, added in added_lines(sample)
        if added
        for report in run_checks(
            [Source(path, git(sample.repo, "show", f"{sample.head_sha}:{path}"), added)], linter
        )
        for hit in report.hits
        if not report.failed
    ]
    expected = [{"path": defect["path"], "line": defect["line"]} for defect in build_sample.expected()]
    assert sorted(hits, key=str) == sorted(expected, key=str)


def test_the_nine_kinds_are_planted(build_sample):
    assert {defect["kind"] for defect in build_sample.expected()} >= NINE


def test_the_sample_has_the_same_shas_everywhere(sample, build_sample, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    again = build_sample.build(tmp_path)
    assert (again.base_sha, again.head_sha, again.merge_sha) == (
        sample.base_sha,
        sample.head_sha,
        sample.merge_sha,
    )


def test_the_base_branch_moved_on_and_the_merge_commit_is_checked_out(sample):
    assert git(sample.repo, "merge-base", sample.base_sha, sample.head_sha).strip() == sample.merge_base_sha
    assert sample.merge_base_sha != sample.base_sha
    assert git(sample.repo, "rev-parse", "HEAD").strip() == sample.merge_sha
    parents = git(sample.repo, "rev-parse", "HEAD^1", "HEAD^2").split()
    assert parents == [sample.base_sha, sample.head_sha]
    assert git(sample.repo, "status", "--porcelain") == ""


def test_the_event_names_the_commits(sample):
    event = json.loads(sample.event_path.read_text())
    assert event["pull_request"]["base"]["sha"] == sample.base_sha
    assert event["pull_request"]["head"]["sha"] == sample.head_sha
    assert event["pull_request"]["base"]["repo"]["full_name"] == event["repository"]["full_name"]
