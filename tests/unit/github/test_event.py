import copy
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.change import PullRequest
from pr_review.errors import ConfigError, Skipped
from pr_review.github.event import MAX_CHARS, MAX_EVENT_BYTES, load_event, parse_pull_request
from pr_review.github.event_kinds import RULES, EventKind
from pr_review.github.payloads import MAX_LABELS

SERVER = "https://github.com"
REPOSITORY = "Codertocat/Hello-World"
EXAMPLES = json.loads((Path(__file__).parent / "data" / "webhook_examples.json").read_text())
NPM = Path(os.environ.get("PR_REVIEW_NPM", Path(__file__).parents[3] / ".build" / "npm"))
WEBHOOKS = NPM / "node_modules" / "@octokit" / "webhooks-examples"


def load(path, event="pull_request", pull_request=None, server=SERVER, repository=REPOSITORY):
    return load_event(event, path, pull_request=pull_request, server_url=server, repository=repository)


def refused(path, code="invalid_event", **options):
    with pytest.raises(ConfigError) as caught:
        load(path, **options)
    assert caught.value.code == code
    assert caught.value.advice
    return caught.value.detail


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
def test_a_pull_request_payload_is_the_request(event_file, payload, event):
    request = load(event_file(payload), event)
    assert request.kind == event
    assert request.pull_request == PullRequest(
        url="https://github.com/Codertocat/Hello-World/pull/2",
        owner="Codertocat",
        repository="Hello-World",
        number=2,
        title="Update the README with new information.",
        body="This is a pretty simple change that we need to pull into master.",
        author="Codertocat",
        base_ref="master",
        head_ref="changes",
        base_sha="f95f852bd8fca8fcc58a9a2d6c842781e32a215e",
        head_sha="ec26c3e57ca3a959ca5aad62de7213c562f8c821",
    )
    assert (request.is_fork, request.is_dependabot, request.draft) == (False,) * 3
    assert (request.author_association, request.sender) == ("OWNER", "Codertocat")


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name.startswith("pull_request")])
def test_every_activity_type_parses(event_file, name):
    request = load(event_file(EXAMPLES[name]))
    assert request.pull_request
    assert request.draft is (name == "pull_request.converted_to_draft")
    assert request.labels == (() if name == "pull_request.opened" else ("bug",))


@pytest.mark.parametrize("name", ["workflow_dispatch.0", "workflow_dispatch.1"])
def test_a_dispatch_without_a_pull_request_says_what_is_missing(event_file, name):
    refused(
        event_file(EXAMPLES[name]),
        "missing_pull_request",
        event="workflow_dispatch",
        repository="octo-org/octo-repo",
    )


def test_all_webhook_examples_of_the_npm_package_parse(event_file):
    """Opt-in: ``npm install --prefix .build/npm @octokit/webhooks-examples``."""
    indexes = sorted(WEBHOOKS.glob("*/index.json"))
    if not indexes:
        pytest.skip("the npm package @octokit/webhooks-examples is not installed under .build/npm")
    parsed = 0
    for index in indexes:
        for event in json.loads(index.read_bytes()):
            for example in event["examples"] if event["name"] == "pull_request" else ():
                repository = example["repository"]["full_name"]
                assert load(event_file(example), repository=repository).pull_request
                parsed += 1
    assert parsed >= 29


@pytest.mark.parametrize(
    ("event", "word"),
    [
        ("push", "push"),
        ("merge_group", "merge_group"),
        ("schedule", "schedule"),
        ("::error::x", "of this run"),
        ("", "of this run"),
    ],
)
def test_an_event_without_a_pull_request_is_skipped(event, word):
    with pytest.raises(
        Skipped, match=f"The event {word} carries no pull request, so there is nothing to review"
    ):
        load(None, event)


CARRYING = ("pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment")
RUNS = ("workflow_run", "check_run", "check_suite")
HOME = {"full_name": REPOSITORY}


@pytest.mark.parametrize("event", CARRYING)
def test_every_event_that_carries_the_pull_request_is_read_alike(event_file, payload, event):
    request = load(event_file(payload), event)
    assert request.kind == event
    assert request.pull_request == load(event_file(payload), "pull_request").pull_request


def named(number=2, repository=REPOSITORY, **fields):
    """A pull request as a run names it."""
    branches = {side: {"ref": side, "sha": "a" * 40, "repo": {"id": 1}} for side in ("head", "base")}
    return (
        {"number": number, "url": f"https://api.github.com/repos/{repository}/pulls/{number}"}
        | branches
        | fields
    )


@pytest.mark.parametrize("event", RUNS)
@pytest.mark.parametrize(
    "pulls",
    [
        [named()],
        [named(), named()],
        [named(), named(7, "octo-org/upstream")],
        [named(repository=REPOSITORY.upper())],
        [{"number": 2}],
        [named(url=None), None],
    ],
)
def test_a_run_names_the_one_pull_request_of_its_repository(event_file, event, pulls):
    """Its record is GitHub's to give: what stands in the event is only part of it."""
    request = load(event_file({event: {"pull_requests": pulls}, "repository": HOME}), event)
    assert (request.number, request.pull_request, request.kind) == (2, None, event)


@pytest.mark.parametrize("event", RUNS)
@pytest.mark.parametrize(
    ("run", "code"),
    [
        ({"pull_requests": []}, "no_pull_request"),
        ({"pull_requests": None}, "no_pull_request"),
        ({}, "no_pull_request"),
        (None, "no_pull_request"),
        ({"pull_requests": [named(repository="someone/else")]}, "no_pull_request"),
        ({"pull_requests": [named(1), named(2)]}, "ambiguous_pull_request"),
    ],
)
def test_a_run_without_one_pull_request_asks_for_the_input(event_file, event, run, code):
    with pytest.raises(Skipped) as caught:
        load(event_file({event: run, "repository": HOME}), event)
    assert caught.value.code == code
    assert event in caught.value.detail
    assert "pull-request input" in caught.value.advice


def comment(action="created", sender="ann", author="ann", association="MEMBER", **issue):
    return {
        "action": action,
        "issue": {"number": 2, "pull_request": {"url": "x"}, "user": {"login": "bob"}} | issue,
        "comment": {"body": "/review", "user": {"login": author}, "author_association": association},
        "sender": {"login": sender},
        "repository": HOME,
    }


def test_a_comment_on_a_pull_request_names_it_and_its_sender(event_file):
    request = load(event_file(comment()), "issue_comment")
    assert (request.number, request.pull_request) == (2, None)
    assert (request.sender, request.sender_association) == ("ann", "MEMBER")


@pytest.mark.parametrize("author", ["eve", None])
def test_an_association_is_the_comment_s_author_s_and_nobody_else_s(event_file, author):
    """Who edits another's comment, or acts through an app, is not associated as its author is."""
    request = load(event_file(comment(author=author, association="OWNER")), "issue_comment")
    assert (request.sender, request.sender_association) == ("ann", None)


@pytest.mark.parametrize("null", ["comment", "sender", "action"])
def test_a_comment_event_with_null_parts_still_names_its_pull_request(event_file, null):
    assert load(event_file(comment() | {null: None}), "issue_comment").number == 2


@pytest.mark.parametrize(
    ("event", "payload_of_event", "words"),
    [
        ("issue_comment", comment(pull_request=None), "on an issue and not on a pull request"),
        ("issue_comment", comment("edited"), "A comment was edited"),
        ("issue_comment", comment("deleted"), "A comment was deleted"),
        ("pull_request_review_comment", {"action": "deleted"}, "A comment was deleted"),
        ("pull_request_review_comment", {"action": "edited"}, "A comment was edited"),
        ("issues", comment("opened"), "The event issues carries no pull request"),
        ("discussion_comment", comment(), "The event discussion_comment carries no pull request"),
        ("watch", {"action": "started"}, "The event watch carries no pull request"),
    ],
)
def test_what_starts_no_review_says_why(event_file, event, payload_of_event, words):
    with pytest.raises(Skipped) as caught:
        load(event_file(payload_of_event), event)
    assert caught.value.code == "no_pull_request"
    assert words in caught.value.detail
    assert "pull-request input" in caught.value.advice


def test_a_comment_event_without_its_issue_is_refused(event_file):
    assert "carries no issue" in refused(event_file({"repository": HOME}), event="issue_comment")


@pytest.mark.parametrize("event", ["issue_comment", *RUNS])
def test_an_event_that_names_is_of_this_repository(event_file, event):
    path = event_file(comment() | {event: {"pull_requests": [named()]}})
    assert "another repository" in refused(path, event=event, repository="octo-org/octo-repo")


@pytest.mark.parametrize("event", [kind for kind, rule in RULES.items() if rule.anyone])
def test_a_given_number_does_not_hide_who_caused_the_event(event_file, event):
    """They spend the key, whoever wrote the number."""
    assert load(event_file(comment("edited")), event, "7").sender == "ann"


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch", "workflow_call", "issue_comment"])
@pytest.mark.parametrize("value", ["7", "https://github.com/codertocat/hello-world/pull/7"])
def test_an_explicit_pull_request_works_on_every_event(event, value):
    request = load(None, event, value)
    assert (request.number, request.owner, request.repository) == (7, "Codertocat", "Hello-World")
    assert request.pull_request is None


def test_an_explicit_pull_request_wins_over_the_payload(event_file, payload):
    request = load(event_file(payload), pull_request="7")
    assert (request.number, request.pull_request, request.kind) == (7, None, EventKind.PULL_REQUEST)


def test_an_explicit_pull_request_that_is_the_payload_s_keeps_its_facts(event_file, payload):
    request = load(event_file(payload), pull_request="2")
    assert request.pull_request.number == 2


@pytest.mark.parametrize("event", ["workflow_dispatch", "workflow_call"])
@pytest.mark.parametrize("name", ["pull-request", "pull_request"])
@pytest.mark.parametrize("value", ["7", 7, "https://github.com/Codertocat/Hello-World/pull/7"])
def test_a_dispatch_input_names_the_pull_request(event_file, event, name, value):
    event_path = event_file({"inputs": {name: value}, "sender": {"login": "octocat"}})
    request = load(event_path, event)
    assert (request.number, request.sender) == (7, "octocat")


@pytest.mark.parametrize("inputs", [None, {}, {"pull-request": ""}, {"pull-request": None}, {"other": "7"}])
def test_a_dispatch_without_a_number_is_refused(event_file, inputs):
    refused(event_file({"inputs": inputs}), "missing_pull_request", event="workflow_dispatch")


@pytest.mark.parametrize(
    "value",
    [
        "0", "-1", "07", "1.0", "+1", " 7", "7\n", "\u0667", "12345678901", "latest", "#7", "octo/repo#7",
        "https://github.com/Codertocat/Hello-World/pull/7/files",
        "https://github.com/Codertocat/Hello-World/pull/7/",
        "https://github.com/Codertocat/Hello-World/pull/7?w=1",
        "https://github.com/Codertocat/Hello-World/pull/7#discussion",
        "https://github.com/Codertocat/Hello-World/pull/0",
        "https://github.com/Codertocat/Hello-World/issues/7",
        "github.com/Codertocat/Hello-World/pull/7",
        "https://github.com//Hello-World/pull/7",
        "https://github.com/Codertocat/Hello-World/pull/7\n",
        "\ud800",
    ],
)  # fmt: skip
def test_what_is_not_canonical_is_refused(value):
    detail = refused(None, "invalid_pull_request", event="push", pull_request=value)
    assert value not in detail


@pytest.mark.parametrize(
    "value",
    [
        "http://github.com/Codertocat/Hello-World/pull/7",
        "https://github.com.evil.example/Codertocat/Hello-World/pull/7",
        "https://user@github.com/Codertocat/Hello-World/pull/7",
        "https://github.com:8443/Codertocat/Hello-World/pull/7",
        "https://ghe.example.com/Codertocat/Hello-World/pull/7",
        "https://github.com/Codertocat/Other/pull/7",
        "https://github.com/Someone/Hello-World/pull/7",
    ],
)
def test_another_repository_or_server_is_refused(value):
    refused(None, "foreign_pull_request", event="push", pull_request=value)


@pytest.mark.parametrize(
    "server", ["https://ghe.example.com", "https://octo.ghe.com/", "http://ghe.local:8080"]
)
def test_a_server_of_one_s_own_has_its_own_urls(event_file, payload, server):
    url = f"{server.rstrip('/')}/Codertocat/Hello-World/pull/2"
    assert load(None, "push", url, server=server).number == 2
    assert load(event_file(payload), server=server).pull_request.url == url


@pytest.mark.parametrize(("digits", "accepted"), [(9, True), (10, True), (11, False)])
def test_a_number_is_bounded(digits, accepted):
    if accepted:
        assert parse_pull_request("9" * digits, SERVER, REPOSITORY) == int("9" * digits)
    else:
        with pytest.raises(ConfigError, match="invalid_pull_request"):
            parse_pull_request("9" * digits, SERVER, REPOSITORY)


@given(st.text(max_size=60) | st.from_regex(r"https?://github\.com/[\w.-]*/[\w.-]*/pull/\d*.?"))
def test_any_input_is_a_canonical_name_or_one_refusal(text):
    try:
        number = parse_pull_request(text, SERVER, REPOSITORY)
    except ConfigError:
        return
    canonical = {str(number), f"{SERVER}/{REPOSITORY}/pull/{number}".lower()}
    assert text.lower() in canonical


@pytest.mark.parametrize(
    ("repository", "is_fork"),
    [
        ({"full_name": "someone/Hello-World"}, True),
        ({"full_name": "codertocat/hello-world"}, False),
        (None, True),
    ],
)
def test_a_fork_is_a_head_in_another_or_a_deleted_repository(event_file, payload, repository, is_fork):
    payload["pull_request"]["head"]["repo"] = repository
    request = load(event_file(payload))
    assert request.is_fork is is_fork
    assert request.pull_request.head_sha == "ec26c3e57ca3a959ca5aad62de7213c562f8c821"


@pytest.mark.parametrize("bot", ["dependabot[bot]", "dependabot-preview[bot]"])
def test_dependabot_is_known_as_author_or_sender(event_file, payload, bot):
    payload["sender"]["login"] = bot
    assert load(event_file(payload)).is_dependabot
    payload["sender"]["login"] = "maintainer"
    assert not load(event_file(payload)).is_dependabot
    payload["pull_request"]["user"]["login"] = bot
    assert load(event_file(payload)).is_dependabot


def test_absent_and_null_parts_are_tolerated(event_file, payload):
    pull = payload["pull_request"]
    pull["body"] = pull["user"] = None
    for name in ("draft", "labels", "author_association"):
        del pull[name]
    del payload["sender"]
    request = load(event_file(payload))
    assert (request.pull_request.body, request.pull_request.author) == ("", "ghost")
    assert (request.draft, request.labels, request.author_association, request.sender) == (
        False,
        (),
        None,
        None,
    )


NULLABLE = [
    "active_lock_reason", "additions", "assignee", "assignees", "author_association", "auto_merge", "body",
    "draft", "labels", "mergeable", "milestone", "requested_reviewers", "title", "user", "base.ref",
    "base.repo", "base.repo.full_name", "base.user", "head.label", "head.ref", "head.repo",
    "head.repo.full_name", "head.user", "user.login",
]  # fmt: skip


def without(payload, path, *, null):
    """Make the field at a dotted path null, or take it out."""
    *folders, name = path.split(".")
    for folder in folders:
        payload = payload[folder]
    payload.pop(name, None)
    if null:
        payload[name] = None


@pytest.mark.parametrize("path", NULLABLE)
def test_null_is_as_absent_and_neither_stops_a_review(event_file, payload, path):
    """Only the number and the two commits are needed."""
    payload["pull_request"]["labels"] = [{"name": "bug"}]
    absent = copy.deepcopy(payload)
    without(payload["pull_request"], path, null=True)
    without(absent["pull_request"], path, null=False)
    request = load(event_file(payload))
    assert request.pull_request.head_sha == "ec26c3e57ca3a959ca5aad62de7213c562f8c821"
    assert request == load(event_file(absent))


@pytest.mark.parametrize(
    "path", ["action", "assignee", "inputs", "organization", "repository", "repository.full_name", "sender"]
)
def test_null_beside_the_pull_request_is_as_absent(event_file, payload, path):
    without(payload, path, null=True)
    assert load(event_file(payload)).pull_request


@pytest.mark.parametrize("labels", [[None], [{"name": None}], [{}], [{"name": ""}, None]])
def test_a_label_without_a_name_is_none(event_file, payload, labels):
    payload["pull_request"]["labels"] = [*labels, {"name": "bug"}]
    assert load(event_file(payload)).labels == ("bug",)


@pytest.mark.parametrize("path", ["head.sha", "base.sha", "head", "base"])
@pytest.mark.parametrize("null", [True, False])
def test_an_incomplete_payload_leaves_the_record_to_the_api(event_file, payload, path, null):
    without(payload["pull_request"], path, null=null)
    request = load(event_file(payload))
    assert (request.number, request.pull_request) == (2, None)


def test_unknown_fields_are_ignored(event_file, payload):
    payload["surprise"] = payload["pull_request"]["surprise"] = payload["pull_request"]["head"]["x"] = [
        1,
        {"a": None},
    ]
    assert load(event_file(payload)).pull_request


HOSTILE = [
    "::set-output name=x::y\r\n##[error]",
    "<script>alert(1)</script>",
    "\x00\x1b[31m\x7f\u202e",
    "é" * 32768,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_arrives_unchanged(event_file, payload, text):
    """Escaping belongs to each output; a record keeps what GitHub said."""
    payload["pull_request"]["title"] = text[:256]  # as long as GitHub allows
    payload["pull_request"]["body"] = text
    record = load(event_file(payload)).pull_request
    assert (record.title, record.body) == (text[:256], text)


TEXTS = {
    "title": "title",
    "body": "body",
    "author": "user.login",
    "base_ref": "base.ref",
    "head_ref": "head.ref",
}


@pytest.mark.parametrize("excess", [-1, 0, 1, 1_000_000])
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_beyond_github_s_own_bound_is_cut_with_a_note(event_file, payload, name, excess):
    *folders, last = TEXTS[name].split(".")
    part = payload["pull_request"]
    for folder in folders:
        part = part[folder]
    part[last] = "x" * (MAX_CHARS[name] + excess)
    request = load(event_file(payload))
    kept = getattr(request.pull_request, name)
    if excess <= 0:
        assert (kept, request.notes) == (part[last], ())
    else:
        assert (len(kept), kept[-1]) == (MAX_CHARS[name], "\u2026")
        assert f"{name} has {len(part[last]):,} characters" in request.notes[0]


@pytest.mark.parametrize("count", [MAX_LABELS - 1, MAX_LABELS, MAX_LABELS + 1, 10 * MAX_LABELS])
def test_labels_are_bounded_with_a_note(event_file, payload, count):
    payload["pull_request"]["labels"] = [{"name": f"{n}{'x' * 1000}"} for n in range(count)]
    request = load(event_file(payload))
    assert len(request.labels) == min(count, MAX_LABELS)
    assert max(map(len, request.labels)) <= 256
    assert bool(request.notes) == (count > MAX_LABELS)


def test_lone_surrogates_are_replaced(event_file, payload):
    payload["pull_request"]["title"] = "a\ud800b😀"
    payload["pull_request"]["labels"] = [{"name": "\udfff"}]
    request = load(event_file(payload))
    assert (request.pull_request.title, request.labels) == ("a?b😀", ("?",))


@pytest.mark.parametrize(
    "sha", ["e" * 39, "e" * 41, "E" * 40, "g" * 40, "e" * 40 + "\n", "", 7, "--upload-pack=x"]
)
def test_a_sha_is_40_hex_digits(event_file, payload, sha):
    payload["pull_request"]["head"]["sha"] = sha
    assert "pull_request.head.sha" in refused(event_file(payload))


@pytest.mark.parametrize(
    "change",
    [
        {"number": 0},
        {"number": "2"},
        {"number": True},
        {"title": 7},
        {"labels": "bug"},
        {"labels": [{"name": 7}]},
        {"draft": "yes"},
        {"head": "main"},
        {"user": ["octocat"]},
        {"base": []},
    ],
)
def test_a_field_of_the_wrong_type_is_named(event_file, payload, change):
    payload["pull_request"] |= change
    assert f"pull_request.{next(iter(change))}" in refused(event_file(payload))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"7",
        b"{",
        b'{"a":',
        b"\xff\xfe\xfa",
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b"\0",
        b"1" * 5000,
    ],
)
def test_a_file_that_is_not_an_event_is_refused(event_file, content):
    refused(event_file(content))


def test_a_missing_file_is_refused_without_its_path(tmp_path):
    assert str(tmp_path) not in refused(tmp_path / "absent.json")
    refused(None)
    refused(tmp_path)


def test_a_pull_request_event_without_one_is_refused(event_file):
    assert "carries no pull request" in refused(event_file({"action": "opened"}))


def test_the_event_of_another_repository_is_refused(event_file, payload):
    """Else the run would review one repository's number with another's commits."""
    assert "another repository" in refused(event_file(payload), repository="octo-org/octo-repo")


@pytest.mark.parametrize(("excess", "accepted"), [(-1, True), (0, True), (1, False)])
def test_an_event_file_is_bounded(event_file, payload, excess, accepted):
    content = json.dumps(payload).encode()
    path = event_file(content + b" " * (MAX_EVENT_BYTES + excess - len(content)))
    if accepted:
        assert load(path).number == 2
    else:
        assert "too large" in refused(path)


@pytest.mark.parametrize("repository", ["", "octo", "a/b/c", "a/b\n", "a b/c", "/b", "a/"])
def test_a_run_outside_a_repository_is_refused(repository):
    refused(None, "invalid_repository", event="push", pull_request="7", repository=repository)
