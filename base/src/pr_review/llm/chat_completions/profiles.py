"""How chat-completions servers differ, as data: one frozen record for each server.

``generic`` is the protocol and nothing else. A record is chosen by the endpoint's host, or by its name.
``docs/providers.md`` is generated from these records.
"""

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from pr_review.errors import ConfigError
from pr_review.llm.chat_completions.profile import LOOSE_FINISHES, NULLS, STOP_ONLY, Profile, Tolerance
from pr_review.llm.chat_completions.schemas import SchemaForm

GENERIC = Profile(
    name="generic",
    server="any server that keeps to the protocol",
    endpoint="https://llm.example.com/v1/chat/completions",
    model="your-model",
    stream_usage=False,
    note="Strict: refuses every deviation, and says which profile would accept it.",
)
OPENCODE = Profile(
    name="opencode",
    server="OpenCode Zen and Go",
    endpoint="https://opencode.ai/zen/go/v1/chat/completions",
    model="deepseek-v4-flash",
    hosts=("opencode.ai:*",),
    session_header="x-opencode-session",
    vendor="opencode",
    retried_finishes=frozenset({"insufficient_system_resource", "network_error"}),
    tolerances=frozenset({
        Tolerance.REPEATED_IDS, Tolerance.DUPLICATE_IDS, Tolerance.EMPTY_ARGUMENTS,
        Tolerance.ERROR_IN_SUCCESS, Tolerance.BROKEN_STREAM,
    }),
    note=(
        "Only models of its chat-completions route work (DeepSeek, GLM, Kimi, MiMo, Step); its GPT, Grok, "
        "Claude, Qwen, MiniMax and Gemini routes speak other protocols."
    ),
)  # fmt: skip
OPENAI = Profile(
    name="openai",
    server="OpenAI",
    endpoint="https://api.openai.com/v1/chat/completions",
    model="gpt-5.4-mini",
    hosts=("api.openai.com:*",),
    output_cap="max_completion_tokens",
    reasoning_off=True,
    note=(
        "Models that reason refuse tools on this endpoint unless reasoning is off; the request is then sent "
        "once more with `reasoning_effort: none`. Models that only exist in the Responses API cannot be used."
    ),
)
AZURE = Profile(
    name="azure",
    server="Azure OpenAI",
    endpoint="https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT/chat/completions?api-version=VERSION",
    model="your-deployment",
    hosts=("*.openai.azure.com:*", "*.cognitiveservices.azure.com:*", "*.services.ai.azure.com:*"),
    key_header="api-key",
    output_cap="max_completion_tokens",
    reasoning_off=True,
    note=(
        "The input filter may refuse a pull request that quotes attacks (`input_filtered`): exclude that "
        "file or relax the jailbreak filter of the deployment."
    ),
)
DEEPSEEK = Profile(
    name="deepseek",
    server="DeepSeek",
    endpoint="https://api.deepseek.com/chat/completions",
    model="deepseek-v4-flash",
    hosts=("api.deepseek.com:*",),
    output_cap="max_tokens",
    retried_finishes=frozenset({"insufficient_system_resource"}),
    tolerances=frozenset({Tolerance.EMPTY_ARGUMENTS}),
    note="`reasoning_content` goes back with every earlier turn, as it demands.",
)
MISTRAL = Profile(
    name="mistral",
    server="Mistral",
    endpoint="https://api.mistral.ai/v1/chat/completions",
    model="devstral-medium-latest",
    hosts=("*.mistral.ai:*",),
    output_cap="max_tokens",
    unsent_keys=frozenset({"reasoning_content"}),
    unsent_nulls=NULLS,
    retried_finishes=frozenset({"error"}),
    tolerances=frozenset({
        Tolerance.MISSING_IDS, Tolerance.MISSING_TYPE, Tolerance.OBJECT_ARGUMENTS, Tolerance.CONTENT_PARTS,
    }),
    stream_usage=False,
    note="Reports usage in streams by itself.",
)  # fmt: skip
GROQ = Profile(
    name="groq",
    server="Groq",
    endpoint="https://api.groq.com/openai/v1/chat/completions",
    model="openai/gpt-oss-120b",
    hosts=("api.groq.com:*",),
    output_cap="max_completion_tokens",
    never_send=frozenset({"response_format"}),
    unsent_keys=frozenset({"reasoning_content"}),
    unsent_nulls=NULLS,
    tolerances=frozenset({Tolerance.REFUSED_CALL}),
    stream_usage=False,
    note="An output cap counts against the tokens-per-minute limit before the model runs: keep it low.",
)
GEMINI_COMPAT = Profile(
    name="gemini-compat",
    server="Gemini's OpenAI-compatible route",
    endpoint="https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
    model="gemini-3-flash-preview",
    hosts=("generativelanguage.googleapis.com:*",),
    schema=SchemaForm.PORTABLE,
    never_send=frozenset({"response_format"}),
    unsent_nulls=NULLS,
    calls_imply_tools=STOP_ONLY,
    tolerances=frozenset({
        Tolerance.MISSING_IDS, Tolerance.EMPTY_ARGUMENTS, Tolerance.MISSING_INDEX, Tolerance.SHARED_INDEX,
    }),
    note="Thought signatures in `extra_content` go back untouched.",
)  # fmt: skip
OPENROUTER = Profile(
    name="openrouter",
    server="OpenRouter",
    endpoint="https://openrouter.ai/api/v1/chat/completions",
    model="deepseek/deepseek-v4-flash",
    hosts=("openrouter.ai:*",),
    schema=SchemaForm.PORTABLE,
    output_cap="max_tokens",
    body={"provider": {"require_parameters": True}},
    calls_imply_tools=STOP_ONLY,
    retried_finishes=frozenset({"error"}),
    tolerances=frozenset({
        Tolerance.REPEATED_IDS, Tolerance.DUPLICATE_IDS, Tolerance.EMPTY_ARGUMENTS,
        Tolerance.ERROR_IN_SUCCESS, Tolerance.BROKEN_STREAM,
    }),
    note="Routes only to upstreams that take tools (`provider.require_parameters`).",
)  # fmt: skip
KIMI = Profile(
    name="kimi",
    server="Moonshot Kimi",
    endpoint="https://api.moonshot.ai/v1/chat/completions",
    model="kimi-k2.6",
    hosts=("api.moonshot.ai:*", "api.moonshot.cn:*"),
    schema=SchemaForm.PORTABLE,
    output_cap="max_tokens",
    never_send=frozenset({"temperature", "store"}),
    tolerances=frozenset({Tolerance.REPEATED_IDS, Tolerance.DUPLICATE_IDS}),
    stream_usage=False,
    note="Keys of the .ai and .cn hosts are separate. Its call ids go back verbatim.",
)
VLLM = Profile(
    name="vllm",
    server="vLLM",
    endpoint="http://vllm:8000/v1/chat/completions",
    model="served-model-name",
    calls_imply_tools=LOOSE_FINISHES,
    tolerances=frozenset({
        Tolerance.POLLUTED_NAMES, Tolerance.EMPTY_ARGUMENTS, Tolerance.DOUBLE_ENCODING, Tolerance.THINK_BLOCK,
    }),
    note="Start the server with `--enable-auto-tool-choice` and the `--tool-call-parser` of the model.",
)  # fmt: skip
LLAMACPP = Profile(
    name="llamacpp",
    server="llama.cpp",
    endpoint="http://llama:8080/v1/chat/completions",
    model="any",
    schema=SchemaForm.GRAMMAR,
    calls_imply_tools=LOOSE_FINISHES,
    tolerances=frozenset({
        Tolerance.MISSING_IDS, Tolerance.DUPLICATE_IDS, Tolerance.EMPTY_ARGUMENTS, Tolerance.THINK_BLOCK,
    }),
    note="Start the server with `--jinja` and a context of at least 64k tokens (`-c 65536`).",
)  # fmt: skip
OLLAMA = Profile(
    name="ollama",
    server="Ollama",
    endpoint="http://ollama:11434/v1/chat/completions",
    model="qwen3-coder:30b",
    hosts=("*:11434", "ollama.com:*"),
    calls_imply_tools=LOOSE_FINISHES,
    tolerances=frozenset({
        Tolerance.MISSING_IDS, Tolerance.DUPLICATE_IDS, Tolerance.MISSING_TYPE, Tolerance.OBJECT_ARGUMENTS,
        Tolerance.EMPTY_ARGUMENTS, Tolerance.THINK_BLOCK, Tolerance.MISSING_INDEX, Tolerance.SHARED_INDEX,
    }),
    note=(
        "Cuts prompts to its context without saying so: set `OLLAMA_CONTEXT_LENGTH` of the server to 65536 "
        "or more. A cut prompt ends the review as `incomplete`."
    ),
)  # fmt: skip
LITELLM = Profile(
    name="litellm",
    server="LiteLLM proxy",
    endpoint="https://litellm.example.com/v1/chat/completions",
    model="name-in-your-config",
    calls_imply_tools=LOOSE_FINISHES,
    retried_finishes=frozenset({"network_error"}),
    tolerances=frozenset({
        Tolerance.REPEATED_IDS, Tolerance.EMPTY_ARGUMENTS, Tolerance.DOUBLE_ENCODING, Tolerance.MISSING_INDEX,
        Tolerance.SHARED_INDEX, Tolerance.ERROR_IN_SUCCESS, Tolerance.BROKEN_STREAM,
    }),
    note="The way to Anthropic, Bedrock and native Gemini.",
)  # fmt: skip

PROFILES = {
    profile.name: profile
    for profile in (
        OPENCODE, OPENAI, AZURE, DEEPSEEK, MISTRAL, GROQ, GEMINI_COMPAT, OPENROUTER, KIMI, VLLM, LLAMACPP,
        OLLAMA, LITELLM, GENERIC,
    )
}  # fmt: skip


def choose_profile(endpoint: str, name: str | None = None) -> Profile:
    """The profile of the endpoint's host, else ``generic``; or the named one.

    A named profile keeps what belongs to the host: its session header, and the prefix of its error codes.
    Raises ``ConfigError`` for an unknown name.
    """
    by_host = _by_host(endpoint)
    if name is None:
        return by_host
    if name not in PROFILES:
        known = ", ".join(PROFILES)
        raise ConfigError(
            "unknown_provider_profile", "There is no such provider-profile.", f"Use one of {known}."
        )
    if by_host.session_header is None:
        return PROFILES[name]
    return replace(PROFILES[name], session_header=by_host.session_header, vendor=by_host.vendor)


def accepting(tolerance: Tolerance) -> list[str]:
    """Names of the profiles that accept a deviation."""
    return [profile.name for profile in PROFILES.values() if profile.accepts(tolerance)]


def profile_hint(names: Iterable[str]) -> str:
    """One sentence that names the profiles under which something is accepted; "" when there are none."""
    listed = ", ".join(names)
    return f"With provider-profile {listed} this is accepted: set it if that is the server." if listed else ""


def _by_host(endpoint: str) -> Profile:
    url = urlsplit(endpoint)
    address = f"{url.hostname or ''}:{url.port or (80 if url.scheme == 'http' else 443)}"
    matching = (
        profile for profile in PROFILES.values() for pattern in profile.hosts if fnmatchcase(address, pattern)
    )
    return next(matching, GENERIC)
