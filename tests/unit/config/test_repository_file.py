"""The configuration file of the base commit."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.config import repository_file
from pr_review.config.file_schema import MAX_GUIDELINES
from pr_review.config.settings import Settings
from pr_review.config.suppressions import MAX_REASON_CHARS, MAX_SUPPRESSIONS
from pr_review.domain.finding import Severity, Suppression
from pr_review.errors import ConfigError

BAD_DAY = "`suppress.expires` must be a date such as 2026-12-31."
DEFAULTS = Settings.from_mapping({})
PATH = ".github/pr-review.yml"


def applied(text, **inputs):
    environ = {f"INPUT_{name.upper().replace('_', '-')}": value for name, value in inputs.items()}
    return repository_file.apply(Settings.from_mapping(environ), repository_file.parse(text, PATH), PATH)


def problem(text, **inputs):
    with pytest.raises(ConfigError) as caught:
        applied(text, **inputs)
    assert caught.value.code == "invalid_config_file"
    assert "docs/configuration.md" in caught.value.advice
    return caught.value.detail


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_an_empty_file_changes_nothing(text):
    """No document, no configuration."""
    assert applied(text) == DEFAULTS


def test_every_key_is_read():
    """One file with all of them."""
    settings = applied(
        "include: ['*.py']\nexclude:\n  - docs/\ninstructions: |\n  Mind the cache.\n"
        "guidelines: [AGENTS.md, docs/x.md]\n"
        "language: de\nfail-on: high\nfail-on-new: low\nfail-on-incomplete: true\nannotations: false\n"
        "max-rounds: 7\nmax-tool-calls: 0\nmax-requests: 1\nmax-repairs: 0\ntimeout-seconds: 60\n"
    )
    assert settings.include == ("*.py",)
    assert settings.exclude == ("docs/",)
    assert settings.instructions == "Mind the cache.\n"
    assert settings.guidelines == ("AGENTS.md", "docs/x.md")
    assert settings.language == "de"
    assert settings.fail_on is Severity.HIGH
    assert settings.fail_on_new is Severity.LOW
    assert settings.fail_on_incomplete
    assert not settings.annotations
    limits = settings.limits
    assert (limits.max_rounds, limits.max_tool_calls) == (7, 0)
    assert (limits.max_requests, limits.max_repairs) == (1, 0)
    assert settings.timeout_seconds == 60
    assert settings.notes == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("'*.md, ./a'", ("*.md", "/a")),
        ("'- a\n\n  - b'", ("a", "b")),
        ("|\n  *.md\n  # not these\n  *.json\n", ("*.md", "*.json")),
        ("['a, b.md', '#c', '*.{x,y}']", ("a, b.md", "\\#c", "*.x", "*.y")),
        ("[]", ()),
    ],
)
def test_patterns_are_a_list_or_a_text_as_the_input_takes_it(value, expected):
    """The items of a YAML list are patterns as they stand."""
    assert applied(f"exclude: {value}").exclude == expected


def test_another_name_of_the_file_is_the_one_in_messages():
    """Advice that names a file which is not there would not help."""
    path = ".github/pr-review.yaml"
    with pytest.raises(ConfigError) as caught:
        repository_file.parse("max-round: 3", path)
    assert path in caught.value.detail
    assert path in caught.value.advice
    note = repository_file.apply(
        replace(DEFAULTS, given=frozenset({"language"})), {"language": "de"}, path
    ).notes
    assert path in note[0]


@pytest.mark.parametrize(
    "key",
    [
        "provider",
        "endpoint",
        "model",
        "api-key",
        "provider-profile",
        "extra-headers",
        "extra-body",
        "github-token",
        "pull-request",
        "path",
        "baseline",
        "output-dir",
        "on-error",
        "on-missing-key",
        "allow-authors",
        "include-trace",
        "dry-run",
        "workspace-root",
    ],
)
def test_the_file_cannot_set_who_reviews_or_where_to(key):
    """Whoever may push to the base branch would else choose where code and key are sent."""
    assert "unknown key" in problem(f"{key}: x")


def test_an_unknown_key_names_the_nearest():
    """With its line."""
    assert problem("language: en\nmax-round: 3") == (
        ".github/pr-review.yml, line 2: unknown key 'max-round'; did you mean `max-rounds`?"
    )


@pytest.mark.parametrize(
    ("key", "default"),
    [
        ("max-rounds", 8),
        ("max-tool-calls", 32),
        ("max-requests", 24),
        ("max-repairs", 2),
        ("timeout-seconds", 900),
    ],
)
def test_limits_can_only_be_lowered(key, default):
    """One below and equal pass; one above is an error, not a silent clamp."""
    for value in (default - 1, default):
        assert getattr(applied(f"{key}: {value}"), key.replace("-", "_")) == value
    refusal = f"`{key}` may only lower the limit of {default}, not raise it to {default + 1}."
    assert problem(f"{key}: {default + 1}") == f".github/pr-review.yml: {refusal}"


@pytest.mark.parametrize(
    ("key", "low"),
    [
        ("max-rounds", 1),
        ("max-tool-calls", 0),
        ("max-requests", 1),
        ("max-repairs", 0),
        ("timeout-seconds", 1),
    ],
)
def test_limits_have_a_floor(key, low):
    """The floor passes, one less does not."""
    assert applied(f"{key}: {low}")
    assert f"must be at least {low}" in problem(f"{key}: {low - 1}")


def test_the_workflow_wins_with_a_note():
    """Also over a limit that the file could not have raised."""
    settings = applied("max-rounds: 50\nfail-on: high", max_rounds="4", fail_on="never")
    assert settings.max_rounds == 4
    assert settings.fail_on is None
    assert settings.notes == (
        "The workflow's input `fail-on` wins over .github/pr-review.yml.",
        "The workflow's input `max-rounds` wins over .github/pr-review.yml.",
    )


def test_a_key_without_a_value_is_absent():
    """`include:` alone says nothing."""
    assert applied("include:\nfail-on:\n") == DEFAULTS


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("language: no", "`language` must be a text; quote it."),
        ("language: German", "`language` must be a language tag"),
        ("fail-on: urgent", "`fail-on` must be one of never, critical"),
        ("max-rounds: '3'", "`max-rounds` must be an integer."),
        ("max-rounds: 3.0", "`max-rounds` must be an integer."),
        ("max-rounds: true", "`max-rounds` must be an integer."),
        ("annotations: 1", "`annotations` must be true or false."),
        ("annotations: 'yes'", "`annotations` must be true or false."),
        ("include: 3", "`include` must be a list."),
        ("include: '[\"a\", 1'", "`include` must close its list"),
        ("exclude: ['a\\b']", "`exclude` must separate folders by `/`"),
        ("include: [1]", "`include` must be a text; quote it."),
        ("include: ['!']", "`include` must hold valid gitignore patterns"),
        ("guidelines: [/etc/passwd]", "`guidelines` must be a path relative"),
        ("guidelines: [.git/config]", "`guidelines` must be a path relative"),
        ("guidelines: ['.']", "`guidelines` must be a path below"),
        ('instructions: "\\0"', "`instructions` must be at most 16384 bytes"),
    ],
)
def test_a_bad_value_is_named(text, detail):
    """With its line, what is allowed, and no traceback of a library."""
    found = problem(f"# comment\n{text}")
    assert found.startswith(".github/pr-review.yml, line 2: ")
    assert detail in found


@pytest.mark.parametrize("count", [7, 8, 9])
def test_number_of_guidelines_is_bounded(count):
    """Eight files."""
    text = f"guidelines: [{', '.join(f'f{n}.md' for n in range(count))}]"
    if count <= MAX_GUIDELINES:
        assert len(applied(text).guidelines) == count
    else:
        assert "at most 8 entries" in problem(text)


ITEM = "suppress:\n  - fingerprint: 0123456789abcdef\n    reason: One consumer.\n"


def test_suppressions_are_read():
    """A date is a text; the reason loses the white space around it."""
    text = f"{ITEM}    expires: 2026-02-28\n  - {{fingerprint: '0000000000000000', reason: ' Ours. '}}\n"
    assert applied(text).suppress == (
        Suppression(fingerprint="0123456789abcdef", reason="One consumer.", expires="2026-02-28"),
        Suppression(fingerprint="0000000000000000", reason="Ours."),
    )
    assert applied("suppress: []\n").suppress == ()
    assert applied("suppress:\n").suppress == ()


@pytest.mark.parametrize(
    ("item", "line", "detail"),
    [
        ("{fingerprint: 0123456789abcdef}", 5, "`suppress.reason` is missing."),
        ("{reason: x}", 5, "`suppress.fingerprint` is missing."),
        ("0123456789abcdef", 5, "`suppress` must be a mapping."),
        ("{fingerprint: 0123456789abcde, reason: x}", 5, "`suppress.fingerprint` must be the 16 hexa"),
        ("{fingerprint: 0123456789abcdef0, reason: x}", 5, "`suppress.fingerprint` must be the 16 hexa"),
        ("{fingerprint: 0123456789ABCDEF, reason: x}", 5, "`suppress.fingerprint` must be the 16 hexa"),
        ("{fingerprint: 1234567812345678, reason: x}", 5, "`suppress.fingerprint` must be a text; quote it."),
        ("{fingerprint: 0123456789abcdef, reason: ''}", 5, "`suppress.reason` must be a text of at most"),
        ("{fingerprint: 0123456789abcdef, reason: '  '}", 5, "`suppress.reason` must be a text of at most"),
        ("{fingerprint: 0123456789abcdef, reason: yes}", 5, "`suppress.reason` must be a text; quote it."),
        ("{fingerprint: 0123456789abcdef, reason: x, expire: 2026-01-01}", 5, "did you mean `expires`?"),
        ("{fingerprint: 0123456789abcdef, reason: x, path: a.py}", 5, "unknown key 'path'."),
        ("\n    fingerprint: 0123456789abcdef\n    reason: x\n    expires: 2026-13-01", 8, BAD_DAY),
        ("{fingerprint: 0123456789abcdef, reason: x, expires: 2026-02-29}", 5, BAD_DAY),
        ("{fingerprint: 0123456789abcdef, reason: x, expires: 2026-2-1}", 5, BAD_DAY),
        ("{fingerprint: 0123456789abcdef, reason: x, expires: 20260201}", 5, "must be a text; quote it"),
        ("{fingerprint: 0123456789abcdef, reason: x, expires: 2026-W05-1}", 5, BAD_DAY),
        ("{fingerprint: 0123456789abcdef, reason: x, expires: 2026-01-01T10:00:00Z}", 5, BAD_DAY),
        ("{fingerprint: 0123456789abcdef, reason: x, expires: tomorrow}", 5, BAD_DAY),
        ("{fingerprint: fedcba9876543210, reason: x}", 2, "names fedcba9876543210 more than once."),
    ],
)
def test_a_bad_suppression_is_named_with_its_own_line(item, line, detail):
    """Not with that of the list."""
    text = f"# comment\nsuppress:\n  - fingerprint: fedcba9876543210\n    reason: Good.\n  - {item}\n"
    found = problem(text)
    assert found.startswith(f".github/pr-review.yml, line {line}: ")
    assert detail in found


@pytest.mark.parametrize("count", [199, 200, 201])
def test_number_of_suppressions_is_bounded(count):
    """Two hundred."""
    lines = (f"  - {{fingerprint: 'a{number:015d}', reason: x}}\n" for number in range(count))
    text = "suppress:\n" + "".join(lines)
    if count <= MAX_SUPPRESSIONS:
        assert len(applied(text).suppress) == count
    else:
        assert "`suppress` must hold at most 200 entries" in problem(text)


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_a_reason_is_bounded(over):
    """A thousand characters."""
    text = ITEM.replace("One consumer.", "x" * (MAX_REASON_CHARS + over))
    if over <= 0:
        assert len(applied(text).suppress[0].reason) == MAX_REASON_CHARS + over
    else:
        assert "at most 1000 characters" in problem(text)


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_the_file_is_bounded(over):
    """64 KiB of UTF-8."""
    text = "# " + "x" * (repository_file.MAX_CONFIG_BYTES - 2 + over)
    if over <= 0:
        assert applied(text) == DEFAULTS
    else:
        assert problem(text) == ".github/pr-review.yml is larger than 64 KiB."


@given(st.text(max_size=200))
def test_any_text_is_a_configuration_or_a_config_error(text):
    """Nothing of a library escapes."""
    try:
        repository_file.apply(DEFAULTS, repository_file.parse(text, PATH), PATH)
    except ConfigError as error:
        assert error.code == "invalid_config_file"  # noqa: PT017 -- both ways out are right
