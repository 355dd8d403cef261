"""YAML without surprises."""

import time

import pytest

from pr_review.config.strict_yaml import YamlProblem, load_mapping


def test_a_mapping_comes_with_the_line_of_each_key_and_item():
    """Lines count from 1."""
    document, lines = load_mapping("# c\na: 1\n\nb:\n  - x\n  - k: v\n    l: [w]\n")
    assert document == {"a": 1, "b": ["x", {"k": "v", "l": ["w"]}]}
    assert lines == {
        ("a",): 2,
        ("b",): 4,
        ("b", 0): 5,
        ("b", 1): 6,
        ("b", 1, "k"): 6,
        ("b", 1, "l"): 7,
        ("b", 1, "l", 0): 7,
    }


@pytest.mark.parametrize("text", ["2026-01-31", "2026-99-99", "2026-01-31T10:00:00Z"])
def test_a_date_is_a_text(text):
    """Whoever wants a date says what is wrong with it."""
    assert load_mapping(f"a: {text}")[0] == {"a": text}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a: 1\na: 2", 2, "duplicate key 'a'"),
        ("x:\n  b: 1\n  b: 2", 3, "duplicate key 'b'"),
        ("a: &x 1", 1, "anchors"),
        ("a: 1\nb: *x", 2, "anchors"),
        ("a: [1,\nb", 2, "not valid YAML"),
        ("- a", 1, "mapping"),
        ("text", 1, "mapping"),
        ("1: a", 1, "keys must be texts"),
        ("a: 1\n? [b]\n: c", 2, "keys must be texts"),
        ("<<: {a: 1}", 1, "keys must be texts"),
        ("a: !!python/object/apply:os.system [ls]", 1, "not valid YAML"),
        ("a: !custom x", 1, "not valid YAML"),
        ("a: 1\n---\nb: 2", 2, "not valid YAML"),
        ("a: \0", 1, "not valid YAML"),
        ("[" * 20000, 1, "nested too deeply"),
    ],
)
def test_what_is_refused(text, line, problem):
    """Each with its line."""
    with pytest.raises(YamlProblem, match=problem) as caught:
        load_mapping(text)
    assert caught.value.line == line


def test_an_alias_bomb_is_harmless():
    """Refused at its first anchor, at once."""
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    began = time.process_time()
    with pytest.raises(YamlProblem, match="anchors"):
        load_mapping(bomb)
    assert time.process_time() - began < 1
