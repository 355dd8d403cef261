"""Profiles: chosen by host, overridden by name, and consistent data."""

import re

import pytest

from pr_review.errors import ConfigError
from pr_review.llm.chat_completions.adaptation import OUTPUT_CAPS
from pr_review.llm.chat_completions.profile import OF_STREAMS, OF_TEXT_MODE, Profile, Tolerance
from pr_review.llm.chat_completions.profiles import PROFILES, choose_profile

NAMES = [
    "opencode", "openai", "azure", "deepseek", "mistral", "groq", "gemini-compat", "openrouter", "kimi",
    "vllm", "llamacpp", "ollama", "litellm", "generic",
]  # fmt: skip


def test_there_is_one_record_a_server():
    assert list(PROFILES) == NAMES


@pytest.mark.parametrize(
    ("endpoint", "name"),
    [
        ("https://opencode.ai/zen/go/v1/chat/completions", "opencode"),
        ("https://OPENCODE.ai:443/x", "opencode"),
        ("https://opencode.ai.evil.example/x", "generic"),
        ("https://notopencode.ai/x", "generic"),
        ("https://api.openai.com/v1/chat/completions", "openai"),
        ("https://me.openai.azure.com/openai/deployments/d/chat/completions?api-version=1", "azure"),
        ("https://me.services.ai.azure.com/x", "azure"),
        ("https://api.deepseek.com/chat/completions", "deepseek"),
        ("https://api.mistral.ai/v1/chat/completions", "mistral"),
        ("https://codestral.mistral.ai/v1/chat/completions", "mistral"),
        ("https://api.groq.com/openai/v1/chat/completions", "groq"),
        ("https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", "gemini-compat"),
        ("https://openrouter.ai/api/v1/chat/completions", "openrouter"),
        ("https://api.moonshot.ai/v1/chat/completions", "kimi"),
        ("https://api.moonshot.cn/v1/chat/completions", "kimi"),
        ("http://localhost:11434/v1/chat/completions", "ollama"),
        ("http://ollama:11434/v1/chat/completions", "ollama"),
        ("http://localhost:8000/v1/chat/completions", "generic"),
        ("http://[::1]:11434/v1/chat/completions", "ollama"),
        ("https://llm.example.com/v1/chat/completions", "generic"),
    ],
)
def test_the_host_chooses(endpoint, name):
    assert choose_profile(endpoint).name == name


def test_a_name_overrides_the_host():
    assert choose_profile("https://api.openai.com/v1/chat/completions", "generic") is PROFILES["generic"]


def test_an_override_keeps_what_belongs_to_the_host():
    """A Kimi model behind OpenCode still needs the gateway's session header, and reports under its codes."""
    profile = choose_profile("https://opencode.ai/zen/go/v1/chat/completions", "kimi")
    assert (profile.name, profile.session_header, profile.vendor) == (
        "kimi",
        "x-opencode-session",
        "opencode",
    )
    assert profile.tolerances == PROFILES["kimi"].tolerances


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ConfigError) as error:
        choose_profile("https://llm.example.com/x", "open-ai")
    assert error.value.code == "unknown_provider_profile"
    assert all(name in error.value.advice for name in NAMES)


def test_generic_is_the_protocol_and_nothing_else():
    defaults = Profile(name="", server="", endpoint="", model="")
    generic = PROFILES["generic"]
    fields = set(vars(defaults)) - {"name", "server", "endpoint", "model", "note", "stream_usage"}
    assert {field: getattr(generic, field) for field in fields} == {
        field: getattr(defaults, field) for field in fields
    }
    assert not generic.stream_usage


OF_A_FIELD = {Tolerance.LOOSE_FINISH: "calls_imply_tools", Tolerance.GAVE_UP: "retried_finishes"}
LISTED = set(Tolerance) - OF_TEXT_MODE - OF_STREAMS - OF_A_FIELD.keys()


@pytest.mark.parametrize("tolerance", sorted(LISTED))
def test_every_tolerance_has_a_server_that_needs_it(tolerance):
    accepting = [profile.name for profile in PROFILES.values() if profile.accepts(tolerance)]
    assert accepting
    assert "generic" not in accepting


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_no_profile_lists_what_all_of_them_accept(profile):
    assert profile.tolerances <= LISTED
    assert all(map(profile.accepts, OF_TEXT_MODE | OF_STREAMS))


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_strictly_no_profile_accepts_a_turn_that_it_would_have_to_put_right(profile):
    """What is sent does not change."""
    strict = profile.strictly()
    assert {tolerance for tolerance in Tolerance if strict.accepts(tolerance)} == OF_STREAMS
    assert not any(getattr(strict, field) for field in OF_A_FIELD.values())
    received = {"strict", *OF_A_FIELD.values()}
    sent = vars(profile).keys() - received
    assert {field: getattr(strict, field) for field in sent} == {
        field: getattr(profile, field) for field in sent
    }


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_records_are_consistent(profile):
    assert re.fullmatch(r"https?://\S+/chat/completions(\?\S+)?", profile.endpoint)
    assert profile.output_cap in {None, *OUTPUT_CAPS}
    assert profile.key_header == profile.key_header.lower()
    assert not profile.body.keys() & {
        "model",
        "messages",
        "tools",
        "tool_choice",
        "stream",
        *profile.never_send,
    }
    assert profile.note.endswith(".")
    assert not profile.hosts or profile.name == "azure" or choose_profile(profile.endpoint) is profile
