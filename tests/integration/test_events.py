"""Events other than ``pull_request``: what is reviewed, for whom, and with whose money."""

import json

import pytest
from tests.loopback.upstream import NUMBER

REVIEW = json.dumps({"summary": "Fine.", "findings": [], "notes": []})
HOME = {"full_name": "octo/demo"}


def comment(sender="ann", association="MEMBER", author=None, action="created"):
    return {
        "action": action,
        "issue": {"number": NUMBER, "pull_request": {"url": "x"}},
        "comment": {"user": {"login": author or sender}, "author_association": association},
        "sender": {"login": sender},
        "repository": HOME,
    }


def run_of(*numbers):
    return {"pull_requests": [{"number": number} for number in numbers]}


@pytest.fixture
def box(upstream, remote_box, github):
    """The runner around an event about pull request 7, which ``bob``, a member, has opened."""
    github.pull |= {"user": {"login": "bob"}, "author_association": "MEMBER"}

    def make(name, event):
        made = remote_box(event, name=name)
        upstream.check_out(made.workspace)
        return made

    return make


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("issue_comment", comment()),
        ("workflow_run", {"workflow_run": run_of(NUMBER), "repository": HOME}),
        ("check_run", {"check_run": run_of(NUMBER, NUMBER), "repository": HOME}),
        ("check_suite", {"check_suite": run_of(NUMBER), "repository": HOME}),
    ],
)
def test_the_pull_request_that_an_event_names_is_reviewed(box, name, event):
    result = box(name, event).run(provider="offline")
    assert (result.code, len(result.artifact["findings"])) == (0, 2)
    assert result.artifact["pull_request"]["number"] == NUMBER


@pytest.mark.parametrize("name", ["pull_request_review", "pull_request_review_comment"])
def test_a_review_of_a_fork_s_pull_request_gets_no_secrets(box, upstream, name):
    """So rules review it, as for ``pull_request``."""
    head = upstream.pull()["head"] | {"repo": {"full_name": "stranger/demo"}}
    event = {"action": "submitted", "pull_request": upstream.pull() | {"head": head}, "repository": HOME}
    result = box(name, event).run()
    assert (result.code, result.artifact["provider"]) == (0, "offline")


# Who may spend the key


@pytest.mark.parametrize(
    ("event", "allowed"),
    [
        (comment(), "MEMBER"),
        (comment(), "ann, bob"),
        (comment("ANN", "NONE"), "Bob\nAnn"),
        (comment("carol", "COLLABORATOR"), "MEMBER, COLLABORATOR"),
    ],
)
def test_a_comment_of_somebody_allowed_starts_a_model(box, chat_server, chat_inputs, event, allowed):
    chat_server.add(chat_server.completion(content=REVIEW))
    result = box("issue_comment", event).run(**chat_inputs, allow_authors=allowed)
    assert result.outputs["conclusion"] == "clean", result.log


@pytest.mark.parametrize(
    ("event", "inputs", "code"),
    [
        (comment(), {}, "skipped_sender"),
        (comment("eve", "NONE"), {"allow_authors": "MEMBER"}, "skipped_sender"),
        (comment("eve", "NONE"), {"allow_authors": "bob"}, "skipped_sender"),
        (comment("MEMBER", "NONE"), {"allow_authors": "MEMBER"}, "skipped_sender"),
        (comment("eve", "OWNER", author="root"), {"allow_authors": "OWNER, bob"}, "skipped_sender"),
        (comment() | {"sender": None}, {"allow_authors": "MEMBER"}, "skipped_sender"),
        (comment("ann"), {"allow_authors": "ann"}, "skipped_author"),
        (comment(action="edited"), {"allow_authors": "MEMBER"}, "no_pull_request"),
        (
            comment("eve", "NONE", action="edited"),
            {"allow_authors": "bob", "pull_request": "7"},
            "skipped_sender",
        ),
    ],
)
def test_a_comment_of_anyone_else_spends_nothing(box, chat_server, chat_inputs, event, inputs, code):
    result = box("issue_comment", event).run(**chat_inputs, **inputs)
    assert (result.code, result.outputs["conclusion"], result.artifact["error"]["code"]) == (
        0,
        "skipped",
        code,
    )
    assert chat_server.requests == []


@pytest.mark.parametrize("name", ["issues", "discussion", "discussion_comment", "fork", "watch"])
def test_no_other_event_of_a_stranger_spends_the_key(box, chat_server, chat_inputs, name):
    """Even when the workflow names the pull request."""
    event = {"sender": {"login": "eve"}, "repository": HOME}
    result = box(name, event).run(**chat_inputs, allow_authors="bob", pull_request=NUMBER)
    assert result.artifact["error"]["code"] == "skipped_sender"
    assert chat_server.requests == []


def test_a_stranger_s_comment_may_start_rules(box):
    """They cost nothing; without a key no model starts."""
    result = box("issue_comment", comment("eve", "NONE")).run(on_missing_key="offline")
    assert (result.code, result.artifact["provider"]) == (0, "offline")


@pytest.mark.parametrize(
    ("allowed", "conclusion"), [("MEMBER", "clean"), ("carol", "skipped"), (None, "clean")]
)
def test_a_workflow_run_is_trusted_as_pull_request_target(box, chat_server, chat_inputs, allowed, conclusion):
    """The author decides, and only when ``allow-authors`` is set."""
    chat_server.add(chat_server.completion(content=REVIEW))
    event = {"workflow_run": run_of(NUMBER), "sender": {"login": "eve"}, "repository": HOME}
    inputs = {"allow_authors": allowed} if allowed else {}
    assert box("workflow_run", event).run(**chat_inputs, **inputs).outputs["conclusion"] == conclusion


def test_what_was_cut_of_the_pull_request_is_a_note(action_box):
    repo = action_box.repo
    action_box.write_event(repo.base_sha, repo.head_sha, title="t" * 5000)
    artifact = action_box.run(provider="offline").artifact
    assert len(artifact["pull_request"]["title"]) == 1024
    assert "The pull request's title has 5,000 characters; the first 1,024 are used." in artifact["run_notes"]
