"""Settings from a mapping."""

import contextlib
import dataclasses
import subprocess
import sys
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec
from pydantic import SecretStr, TypeAdapter

from pr_review.config.inputs import INPUTS
from pr_review.config.settings import CONCURRENT_REVIEWS, ONE_REVIEW, Settings, check_fields
from pr_review.domain.finding import Severity, Suppression
from pr_review.domain.frozen import JsonObject
from pr_review.domain.run import Limits
from pr_review.errors import ConfigError

KEY = "sk-0123456789abcdef"


@pytest.mark.parametrize("name", ["API-KEY", "GITHUB-TOKEN"])
def test_a_credential_may_be_as_long_as_github_s_own(name):
    given = Settings.from_mapping({f"INPUT_{name}": "ghs_" + "a" * 520})
    assert len(given.secrets[0]) == 524


def test_an_empty_mapping_gives_the_defaults():
    """They are what the table of inputs in the README says."""
    settings = Settings.from_mapping({})
    assert settings.provider == "chat-completions"
    assert settings.endpoint == "https://opencode.ai/zen/go/v1/chat/completions"
    assert settings.model == "deepseek-v4-flash"
    assert settings.limits == Limits()
    assert settings.api_key is None
    assert settings.fail_on is None
    assert settings.output_dir == "pr-review-report"
    assert settings.include_trace == "false"
    assert settings.annotations
    assert settings.given == frozenset()
    assert settings.notes == ()


def test_the_runner_s_empty_inputs_are_absent():
    """An input that is not given arrives empty."""
    environ = {item.variable: " \n" for item in INPUTS}
    assert Settings.from_mapping(environ) == Settings.from_mapping({})


def test_dashes_stay_in_input_names():
    """As the runner passes them."""
    settings = Settings.from_mapping({"INPUT_MAX-ROUNDS": " 5 ", "INPUT_FAIL-ON": "high"})
    assert settings.max_rounds == 5
    assert settings.fail_on is Severity.HIGH
    assert settings.given == {"max-rounds", "fail-on"}


@pytest.mark.parametrize(
    ("alias", "field", "text"),
    [
        ("OPENCODE_BASE_URL", "endpoint", "https://x.org/chat/completions"),
        ("OPENCODE_MODEL", "model", "m"),
        ("REVIEW_TIMEOUT_SECONDS", "timeout_seconds", "60"),
        ("REVIEW_MAX_ROUNDS", "max_rounds", "3"),
        ("REVIEW_MAX_TOOL_CALLS", "max_tool_calls", "4"),
        ("REVIEW_WORKSPACE_ROOT", "workspace_root", "/scratch"),
        ("include_trace", "include_trace", "always"),
    ],
)
def test_an_alias_gives_the_value(alias, field, text):
    """A terminal and a workflow can share the names."""
    assert str(getattr(Settings.from_mapping({alias: text}), field)) == text


def test_an_input_wins_over_its_alias():
    """Inside Actions inputs win."""
    settings = Settings.from_mapping({"INPUT_MODEL": "a", "OPENCODE_MODEL": "b"})
    assert settings.model == "a"


def test_secrets_are_listed_and_never_shown():
    """Key, token and header values; the representation holds none of them."""
    environ = {
        "OPENCODE_API_KEY": KEY,
        "GITHUB_TOKEN": "ghs_token",
        "INPUT_EXTRA-HEADERS": '{"x-a":"hidden-value"}',
    }
    settings = Settings.from_mapping(environ)
    assert settings.secrets == (KEY, "ghs_token", "hidden-value")
    for secret in settings.secrets:
        assert secret not in repr(settings)
        assert secret not in str(dataclasses.asdict(settings))


def test_every_bad_input_is_named_with_what_is_allowed():
    """All problems in one error."""
    with pytest.raises(ConfigError) as caught:
        Settings.from_mapping({"INPUT_MAX-ROUNDS": "many", "INPUT_ON-ERROR": "ignore"})
    assert caught.value.code == "invalid_input"
    assert caught.value.detail == (
        "input `max-rounds` must be an integer from 1 to 100, not 'many'; "
        "input `on-error` must be one of fail, neutral, not 'ignore'."
    )


@pytest.mark.parametrize(
    "environ",
    [
        {"OPENCODE_API_KEY": f"{KEY}\nx"},
        {"INPUT_EXTRA-HEADERS": f'{{"authorization":"{KEY}"}}'},
        {"INPUT_EXTRA-BODY": f'{{"model":"{KEY}"}}'},
        {"INPUT_ENDPOINT": f"https://u:{KEY}@x.org/chat/completions"},
        {"INPUT_GITHUB-TOKEN": f"{KEY}\x07"},
    ],
)
def test_errors_never_quote_private_inputs(environ):
    """The message ends up in the log, the summary and the artifact."""
    with pytest.raises(ConfigError) as caught:
        Settings.from_mapping(environ)
    assert KEY not in f"{caught.value} {caught.value.advice}"


def test_a_long_bad_value_is_not_quoted():
    """40 characters are quoted, 41 are not; control characters are escaped."""
    for length, quoted in ((39, True), (40, True), (41, False)):
        with pytest.raises(ConfigError) as caught:
            Settings.from_mapping({"INPUT_LANGUAGE": "q" * (length - 1) + "\x1b"})
        assert ("\\x1b" in caught.value.detail) is quoted
        assert "\x1b" not in caught.value.detail


@pytest.mark.parametrize(
    ("field", "low", "high"),
    [
        ("MAX-ROUNDS", 1, 100),
        ("MAX-TOOL-CALLS", 0, 1000),
        ("MAX-REQUESTS", 1, 1000),
        ("MAX-REPAIRS", 0, 10),
        ("TIMEOUT-SECONDS", 1, 21600),
    ],
)
def test_ranges_of_the_limits(field, low, high):
    """Both ends of each."""
    for value in (low, low + 1, high - 1, high):
        settings = Settings.from_mapping({f"INPUT_{field}": str(value)})
        assert getattr(settings.limits, field.lower().replace("-", "_")) == value
    for value in (low - 1, high + 1):
        with pytest.raises(ConfigError):
            Settings.from_mapping({f"INPUT_{field}": str(value)})


def test_an_unknown_input_is_ignored_with_a_note():
    """A typo gets a suggestion; what the runner adds does not."""
    settings = Settings.from_mapping(
        {"INPUT_MAX-ROUND": "3", "INPUT_FAIL_ON": "low", "INPUT_ZZZ": "", "INPUT_ARGS": "x", "OTHER": "y"}
    )
    assert settings.notes == (
        "Unknown input 'fail_on' is ignored; did you mean `fail-on`?",
        "Unknown input 'max-round' is ignored; did you mean `max-rounds`?",
        "Unknown input 'zzz' is ignored.",
    )


@pytest.mark.parametrize("name", sorted(CONCURRENT_REVIEWS))
@pytest.mark.parametrize("value", ["1", "4", " 2 ", "0", "many"])
def test_the_number_of_reviews_at_once_has_no_meaning_and_a_note(name, value):
    """A server of reviews takes it; one run is one review, whatever the value."""
    settings = Settings.from_mapping({name: value})
    assert settings.notes == (ONE_REVIEW,)
    assert dataclasses.replace(settings, notes=(), given=frozenset()) == Settings.from_mapping({})
    assert Settings.from_mapping({name: " "}).notes == ()


@pytest.mark.parametrize("name", [item.name for item in INPUTS if "-" in item.name])
def test_an_input_spelt_with_underscores_is_named_as_it_is(name):
    """What a shell allows is not what the runner sets."""
    settings = Settings.from_mapping({f"INPUT_{name.upper().replace('-', '_')}": "x"})
    assert settings.notes[0].endswith(f"is ignored; did you mean `{name}`?")


def test_plain_http_in_a_private_network_is_said():
    """Loopback is silent; offline never uses the endpoint."""
    private = {"INPUT_ENDPOINT": "http://ollama:11434/v1/chat/completions"}
    assert "unencrypted" in Settings.from_mapping(private).notes[0]
    assert not Settings.from_mapping(private | {"INPUT_PROVIDER": "offline"}).notes
    assert not Settings.from_mapping({"INPUT_ENDPOINT": "http://localhost:1/v1/chat/completions"}).notes


@pytest.mark.parametrize(
    ("environ", "missing"),
    [
        ({}, True),
        ({"OPENCODE_API_KEY": KEY}, False),
        ({"INPUT_PROVIDER": "offline"}, False),
        ({"INPUT_ENDPOINT": "http://ollama:11434/v1/chat/completions"}, False),
    ],
)
def test_when_a_key_is_missing(environ, missing):
    """Offline and servers of a private network need none."""
    assert Settings.from_mapping(environ).key_missing is missing


def test_missing_key_policy_depends_on_the_event_unless_given():
    """Forks and Dependabot fall back to offline (issue of secrets), others fail."""
    settings = Settings.from_mapping({})
    assert settings.missing_key_policy(without_secrets=True) == "offline"
    assert settings.missing_key_policy(without_secrets=False) == "fail"
    given_policy = Settings.from_mapping({"INPUT_ON-MISSING-KEY": "skip"})
    assert given_policy.missing_key_policy(without_secrets=True) == "skip"
    assert given_policy.missing_key_policy(without_secrets=False) == "skip"


@pytest.mark.parametrize(
    ("path", "excluded"),
    [
        ("package-lock.json", True),
        ("web/yarn.lock", True),
        ("go.sum", True),
        ("a/b.min.js", True),
        ("node_modules/x/index.js", True),
        ("src/vendor/x.go", True),
        ("api/v1_pb2.py", True),
        ("src/app.py", False),
        ("lock.py", False),
        ("src/blocks.ts", False),
    ],
)
def test_default_exclusions(path, excluded):
    """Lock, minified, vendored and generated files, and nothing that looks like them."""
    spec = GitIgnoreSpec.from_lines(pattern for pattern, *_ in Settings.from_mapping({}).exclusions)
    assert spec.match_file(path) is excluded


def test_given_exclusions_follow_the_built_in_ones():
    """`!` takes a file back in."""
    settings = Settings.from_mapping({"INPUT_EXCLUDE": "docs/\n!go.sum"})
    spec = GitIgnoreSpec.from_lines(pattern for pattern, *_ in settings.exclusions)
    assert spec.match_file("docs/a.md")
    assert not spec.match_file("go.sum")
    assert spec.match_file("yarn.lock")


@given(st.dictionaries(st.sampled_from([item.variable for item in INPUTS]), st.text(max_size=40), max_size=5))
def test_any_text_gives_settings_or_a_config_error(environ):
    """No other exception, whatever a workflow writes."""
    with contextlib.suppress(ConfigError):
        Settings.from_mapping(environ)


def test_settings_import_nothing_heavy():
    """Every run waits for this import, and the defaults need no third-party package."""
    code = (
        "import sys; from pr_review.config.settings import Settings; Settings.from_mapping({});"
        "names = ('pydantic', 'yaml', 'pathspec', 'httpx', 'github', 'pygments', 'anyio', 'difflib');"
        "print([name for name in names if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_settings_are_frozen():
    """A changed copy is a new object."""
    settings = Settings.from_mapping({})
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.model = "other"
    assert dataclasses.replace(settings, model="other").model == "other"


FIELDS = [each.name for each in dataclasses.fields(Settings)]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (FIELDS[1:], "found endpoint, expected provider"),
        ([FIELDS[1], FIELDS[0], *FIELDS[2:]], "found endpoint, expected provider"),
        (["more", *FIELDS], "found more, expected provider"),
        ([*FIELDS, "more"], "found more, expected None"),
        (FIELDS[:-1], "found None, expected notes"),
    ],
)
def test_fields_that_are_not_the_inputs_fail_the_import(names, problem):
    """One is missing, in another place, or has no input."""
    check_fields(FIELDS, INPUTS)
    with pytest.raises(TypeError, match=problem):
        check_fields(names, INPUTS)


def sample(item):
    """A text that the input's parser accepts."""
    for text in (item.default, *item.choices, "x", '{"a":"b"}'):
        with contextlib.suppress(ValueError):
            if text:
                item.parse(text)
                return text
    raise AssertionError(f"no sample for {item.name}")


@pytest.mark.parametrize("item", INPUTS, ids=lambda item: item.name)
def test_each_parser_returns_the_type_of_its_field(item):
    """Settings validate nothing again, so nothing else would notice."""
    known = {
        "SecretStr": SecretStr,
        "Severity": Severity,
        "Suppression": Suppression,
        "JsonObject": JsonObject,
    }
    wanted = typing.get_type_hints(Settings, localns=known)[item.field]
    for environ in ({}, {item.variable: sample(item)}):
        value = getattr(Settings.from_mapping(environ), item.field)
        TypeAdapter(wanted).validate_python(value, strict=True)
