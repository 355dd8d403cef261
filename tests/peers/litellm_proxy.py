"""PyPI ``litellm``'s proxy in front of mocked answers and of aimock, and the fixture that starts it."""

import json

import pytest
from tests.peers.serving import KEY, free_port, serving

REVIEW = json.dumps({"summary": "Averages rows.", "findings": [], "notes": []})
CALL = {"id": "call_1", "type": "function", "function": {"name": "inspect_git_diff", "arguments": "{}"}}
ANSWERS = {
    "ends-at-once": {"mock_response": REVIEW},
    "always-calls": {"mock_response": "Let me see.", "mock_tool_calls": [CALL]},
    "is-limited": {"mock_response": "litellm.RateLimitError"},
    "overflows-itself": {"mock_response": "litellm.ContextWindowExceededError"},
    "fails": {"mock_response": "litellm.InternalServerError"},
}
BEHIND = ("two-rounds", "thinks", "is-broke", "overflows")


@pytest.fixture(scope="session")
def litellm(environment, aimock, tmp_path_factory):
    """The proxy in front of mocks and of aimock, without its own retries."""
    folder, port = tmp_path_factory.mktemp("litellm"), free_port()
    models = {name: {"model": "openai/mock", "api_key": "none"} | answer for name, answer in ANSWERS.items()}
    for name in BEHIND:
        models[name] = {"model": f"openai/{name}", "api_base": f"{aimock}/v1", "api_key": KEY}
    settings = {
        "model_list": [{"model_name": name, "litellm_params": given} for name, given in models.items()],
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    }
    config = folder / "config.yaml"
    config.write_text(json.dumps(settings))  # JSON is YAML too
    program = environment("litellm") / "bin/litellm"
    command = [str(program), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    environ = {"LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with serving(command, port, "/health/liveliness", folder / "log", environ) as url:
        yield url
