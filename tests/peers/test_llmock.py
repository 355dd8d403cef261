"""PyPI ``llmock``: it fails on demand, and judges how the client handled it."""

import json
import subprocess

import pytest

REVIEW = {"type": "reply", "text": json.dumps({"summary": "Averages rows.", "findings": [], "notes": []})}
CALL = {"type": "reply", "tool_calls": [{"name": "inspect_git_diff", "arguments": {}}]}
CLEAN = ("clean", "final_review")


def failing(status, times=1, **more):
    return {"type": "fail", "status": status, "times": times, **more}


def breaking(kind, **more):
    return {"type": "stream_fault", "kind": kind, "after_chunks": 2, **more}


def verdict(start_llmock, url, *options):
    done = subprocess.run(
        [start_llmock.program, "report", "--url", url, *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("stream", ["false", "true"])
@pytest.mark.parametrize(
    ("faults", "retries"),
    [
        ([], 0),
        ([failing(429, 2, retry_after=0.3)], 2),
        ([failing(500)], 1),
        ([failing(503, retry_after=0.1)], 1),
        ([failing(529)], 1),
        ([failing(408), failing(429, retry_after=0.1)], 2),
    ],
)
def test_what_passes_by_itself_is_waited_out(script_llmock, start_llmock, review, faults, retries, stream):
    url = script_llmock(*faults, CALL, REVIEW)
    ended = review(url, stream=stream)
    assert (ended.name, ended.artifact["requests"]["retries"]) == (CLEAN, retries)
    report = verdict(start_llmock, url, "--strict", "--json")
    assert (report["calls"], report["attempts"], report["faults_injected"]) == (2, 2 + retries, retries)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "provider_rejected_request"),
        (401, "provider_authentication_failed"),
        (403, "provider_permission_denied"),
        (404, "endpoint_not_found"),
        (422, "provider_rejected_request"),
    ],
)
def test_what_does_not_pass_is_not_asked_again(script_llmock, start_llmock, review, status, code):
    url = script_llmock(failing(status, 9))
    assert review(url).name == ("failed", code)
    assert verdict(start_llmock, url, "--strict", "--json")["attempts"] == 1


@pytest.mark.parametrize("kind", ["disconnect", "truncate", "malformed"])
def test_a_broken_stream_is_asked_for_again(script_llmock, start_llmock, review, kind):
    """The profile is a gateway's. A broken connection is retried under any profile."""
    profile = "generic" if kind == "disconnect" else "openrouter"
    url = script_llmock(breaking(kind, times=2), CALL | {"times": 3}, REVIEW)
    ended = review(url, stream="true", provider_profile=profile)
    assert (ended.name, ended.actions) == (CLEAN, ["execute_tools", "return_review"])
    assert verdict(start_llmock, url, "--strict", "--json")["faults_injected"] == 2


def test_a_stream_that_stalls_ends_with_the_time(script_llmock, start_llmock, review):
    url = script_llmock(breaking("stall", stall_seconds=60))
    assert review(url, stream="true", timeout_seconds=3).name == ("incomplete", "review_timeout")
    verdict(start_llmock, url, "--json")


@pytest.mark.parametrize("kind", ["malformed_arguments", "unknown_tool"])
@pytest.mark.parametrize("stream", ["false", "true"])
def test_a_bad_call_is_repaired_and_never_run(script_llmock, start_llmock, review, kind, stream):
    url = script_llmock({"type": "tool_fault", "kind": kind}, CALL | {"times": 2}, REVIEW)
    ended = review(url, stream=stream)
    assert (ended.name, ended.actions) == (CLEAN, ["repair", "execute_tools", "return_review"])
    assert ended.artifact["turns"][0]["tool_calls"] == []
    verdict(start_llmock, url, "--strict", "--json")


def test_a_prompt_beyond_the_window_ends_by_name(start_llmock, review):
    with start_llmock("--context-window", "500") as url:
        assert review(url).name == ("incomplete", "context_overflow")
        verdict(start_llmock, url, "--strict", "--json")


def test_a_limit_of_requests_a_minute_is_not_stormed(start_llmock, review):
    """The wait is longer than the remaining time: the run ends at once and says so."""
    with start_llmock("--rpm", "1") as url:
        ended = review(url, timeout_seconds=10)
        assert ended.name[1] in {"provider_rate_limited", "review_timeout"}
        verdict(start_llmock, url, "--json")


def test_with_faults_at_random_every_review_ends_and_the_client_behaves(start_llmock, review):
    """The model calls a tool and then answers, over a connection that fails every third time."""
    options = [*("--error-rate", "429=0.1", "--error-rate", "500=0.1", "--error-rate", "503=0.1")]
    for kind in ("disconnect", "truncate", "malformed"):
        options += ["--stream-fault", f"{kind}=0.1"]
    with start_llmock(*options) as url:
        for stream in ("false", "true") * 2:
            review(url, stream=stream, provider_profile="openrouter")
        report = verdict(start_llmock, url, "--json")
        assert (report["passed"], report["calls"] > 4) == (True, True)
