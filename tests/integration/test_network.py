"""Proxies and their exemptions in whole runs: for the model, GitHub's API and git alike."""

import json

import pytest
from tests.loopback.upstream import NUMBER

NOWHERE = "http://127.0.0.1:9"
REVIEW = json.dumps({"summary": "Fine.", "findings": [], "notes": []})
DISPATCH = {"inputs": {"pull-request": str(NUMBER)}}


@pytest.mark.parametrize("exemption", ["127.0.0.0/8", "fd00::/8, 127.0.0.1/32", "[::1]:80 127.0.0.1", "*"])
def test_an_exempted_range_holds_for_model_api_and_git(
    upstream, remote_box, github, chat_server, chat_inputs, exemption
):
    chat_server.add(chat_server.completion(content=REVIEW))
    box = remote_box(DISPATCH, name="workflow_dispatch")
    upstream.check_out(box.workspace)  # shallow: git has to fetch
    box.environ |= {"HTTP_PROXY": NOWHERE, "NO_PROXY": exemption}
    result = box.run(**chat_inputs)
    assert result.outputs["conclusion"] == "clean", result.log
    assert github.requests
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize(
    ("name", "code"), [("workflow_dispatch", "github_unreachable"), ("pull_request", None)]
)
def test_without_it_each_goes_to_the_proxy(upstream, remote_box, name, code):
    box = remote_box(DISPATCH if code else None, name=name)
    upstream.check_out(box.workspace)
    box.environ |= {"HTTP_PROXY": NOWHERE, "NO_PROXY": "10.0.0.0/8"}
    error = box.run(provider="offline", timeout_seconds=8).artifact["error"]
    assert error["code"] == (code or "fetch_unreachable")


def test_an_entry_that_means_nothing_is_a_note(action_box):
    action_box.environ |= {"NO_PROXY": "10.0.0.0/99, example.com"}
    result = action_box.run(provider="offline")
    assert result.code == 0
    [note] = result.artifact["run_notes"]
    assert note.startswith(
        "NO_PROXY: what is no name, address or range of addresses is ignored: '10.0.0.0/99'."
    )


def test_a_proxy_for_another_host_does_not_matter(action_box, chat_server, chat_inputs):
    """Only a proxy that would be used must be usable."""
    chat_server.add(chat_server.completion(content=REVIEW))
    action_box.environ |= {"ALL_PROXY": "socks5://127.0.0.1:9", "NO_PROXY": "127.0.0.0/8"}
    assert action_box.run(**chat_inputs).outputs["conclusion"] == "clean"
    action_box.environ |= {"NO_PROXY": ""}
    (action_box.root / "output").write_text("")
    assert action_box.run(**chat_inputs).artifact["error"]["code"] == "invalid_proxy"


def test_a_key_does_not_go_to_a_name_that_leads_nowhere(action_box):
    endpoint = "http://no-such-name-9c1f:8000/v1/chat/completions"
    result = action_box.run(endpoint=endpoint, api_key="a-key-of-a-test")
    assert (result.code, result.artifact["error"]["code"]) == (2, "endpoint_not_private")
