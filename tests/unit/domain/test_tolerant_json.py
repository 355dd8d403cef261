"""JSON with slips is read as meant, and only where it can be read in one way."""

import contextlib
import json
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pr_review.domain.tolerant_json import JsonFault, JsonSlip, read_object


def read(text, **options):
    return read_object(text, **options).value


def fault(text, **options):
    with pytest.raises(JsonFault) as caught:
        read_object(text, **options)
    return str(caught.value)


@pytest.mark.parametrize("raw", ["\t", "\n", "\r\n", "\x00", "\x1b", "\x0b"])
def test_a_raw_control_character_is_itself(raw):
    found = read_object(f'{{"a": "one{raw}two", "b": 1}}')
    assert (found.value, found.slips) == ({"a": f"one{raw}two", "b": 1}, {JsonSlip.CONTROL})


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"\d+\s", r"\d+\s"),
        (r"\$HOME", r"\$HOME"),
        (r"it\'s", "it's"),
        (r"\`x\`", "`x`"),
        (r"C:\users\x", r"C:\users\x"),
        (r"\u12 \uD8", r"\u12 \uD8"),
        (r"\( \[ \. \0 \x41", r"\( \[ \. \0 \x41"),
        ("go on \\\nhere", "go on \\\nhere"),
        (r"kept \\d and \n and \u0041", "kept \\d and \n and A"),
    ],
)
def test_a_lone_backslash_is_a_backslash(written, meant):
    assert read(f'{{"a": "{written}"}}') == {"a": meant}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2 , \n ]}', {"a": [1, 2]}),
        ('{"a": {"b": [[],],},}', {"a": {"b": [[]]}}),
        ('{"a": ",}", "b": "[,]",}', {"a": ",}", "b": "[,]"}),
    ],
)
def test_a_comma_after_the_last_member_is_passed_over(text, meant):
    found = read_object(text)
    assert (found.value, found.slips) == (meant, {JsonSlip.COMMA})


@pytest.mark.parametrize(
    ("text", "slips"),
    [
        ('```json\n{"a": 1}\n```', {JsonSlip.FENCE}),
        ('```\n{"a": 1}\n```\n', {JsonSlip.FENCE}),
        ('\ufeff{"a": 1}', set()),
        ('Here it is:\n{"a": 1}', {JsonSlip.BEFORE}),
        ('{"a": 1}\n\nI hope this helps {or not}.', {JsonSlip.AFTER}),
        (
            'In f() { return } I see ${{ x }}.\n```json\n{"a": 1}\n```\nDone.',
            {JsonSlip.FENCE, JsonSlip.BEFORE, JsonSlip.AFTER},
        ),
    ],
)
def test_text_around_the_only_object_is_passed_over(text, slips):
    """A fence that is not the whole rest counts as a fence and as text."""
    found = read_object(text)
    assert found.value == {"a": 1}
    assert found.slips | {JsonSlip.FENCE} == slips | {JsonSlip.FENCE}


def test_arguments_stand_alone():
    assert read('{"a": "\t"}', alone=True) == {"a": "\t"}
    for text in ('x {"a": 1}', '{"a": 1} x', '```\n{"a": 1}\n```', ""):
        assert fault(text, alone=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Looks good to me.", "The text holds no JSON object."),
        ("", "The text holds no JSON object."),
        ("null", "The text holds no JSON object."),
        ("[]", "The text holds no JSON object."),
        ('"{\\"a\\": 1}"', "The text holds no JSON object."),
        ('[{"a": 1}]', "The text is a JSON list, not an object."),
        ('```\n[\n  {"a": 1}]\n```', "The text is a JSON list, not an object."),
        ('{"a": 1}{"a": 1}', "The text holds more than one JSON object."),
        ('{"a": 1}\n\n{"a": 2}', "The text holds more than one JSON object."),
        ('{"a": {"b": 1}', "The JSON ends before it is complete (line 1, column 15)."),
        ('{"a": "no end', "The JSON is broken at line 1, column 7: a string has no end."),
        ('{"a":\n "one\n two"\n "b": 2}', "The JSON is broken at line 4, column 2: a comma or a closing"),
        (
            '{"a":\t"\t\\d",\n b: 2}',
            "The JSON is broken at line 2, column 2: a key in double quotes is missing.",
        ),
        ('{"a": 1,,}', "a key in double quotes is missing"),
        ('{"a": [,]}', "a value is missing"),
        ('{"a": }', "a value is missing"),
        ('{"a" 1}', "a colon is missing"),
        ('{"a": "b" c"}', "The JSON"),
        ('{"a": 1, "a": 2,}', "a key stands twice in one object"),
        ('{"a": NaN,}', "NaN is no number of JSON"),
        ('{"a": 1e999,}', "a number is out of range"),
        ('{"a": ' + "[" * 300 + "]" * 300 + ",}", "nested too deeply"),
    ],
)
def test_everything_else_is_refused_with_the_place(text, words):
    assert words in fault(text)


WORDS = st.text(string.printable + "é😀\u2028", max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


def write_loosely(value):
    """JSON with raw control characters and a comma after each last member."""
    if isinstance(value, dict):
        members = (f"{write_loosely(key)}: {write_loosely(each)}," for key, each in value.items())
        return "{" + "".join(members) + "}"
    if isinstance(value, list):
        return "[" + "".join(f"{write_loosely(each)}," for each in value) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return json.dumps(value)


@given(st.dictionaries(WORDS, VALUES, min_size=1, max_size=4))
def test_what_was_written_loosely_is_what_was_meant(value):
    assert read(write_loosely(value)) == value


@given(st.dictionaries(WORDS, VALUES, min_size=1, max_size=3), st.data())
def test_a_cut_object_is_never_read(value, data):
    text = json.dumps(value)
    end = data.draw(st.integers(0, len(text) - 1))
    assert fault(text[:end])


@given(st.text('{}[]",:\\ \t\n1ab`', max_size=60))
def test_reading_is_total(text):
    with contextlib.suppress(JsonFault):
        assert isinstance(read(text), dict)


@pytest.mark.parametrize(
    "unit", ['{"a":', "{", '{"', "[", '"', "\\", " ", ",", "`", '{"a":1}', '\\"', '{"a":1},', "}", "\ufeff"]
)
def test_hostile_text_takes_linear_time(unit):
    started = time.process_time()
    for text in (unit * (200_000 // len(unit)), '{"a": "' + unit * (200_000 // len(unit))):
        with contextlib.suppress(JsonFault):
            read(text)
    assert time.process_time() - started < 2
