"""Generated parts of other files."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pr_review.config import generate, parsers
from pr_review.config.declaration import Input, Secret
from pr_review.config.generate import PARTS, Part, replace_part

ROOT = Path(__file__).parents[3]
MARKDOWN = Part("a.md", "x", lambda _: iter(["new 1", r"new \1"]))
YAML = Part("a.yml", "x", lambda _: iter(["  new"]))

INPUTS = (
    Input(
        name="max-things",
        default="3000",
        parse=parsers.Integer(1, 5000),
        description="Things: " + "many words " * 12 + "end.",
        aliases=("THINGS", "OTHER_THINGS"),
    ),
    Input(
        name="token",
        parse=parsers.credential,
        description="A token.",
        action_default="${{ github.token }}",
        workflow=Secret("TOKEN", "A secret."),
    ),
    Input(name="place", parse=parsers.one_line, description="A place.", workflow="fixed"),
)


@pytest.mark.parametrize("blank", ["", "\n"])
def test_markdown_is_replaced_between_its_markers(blank):
    """An empty line beside a marker stays; the rest of the text too."""
    text = "before\n<!-- x -->\n{0}{1}{0}<!-- /x -->\nafter <!-- y -->\n"
    old, new = text.format(blank, "old\n\nold\n"), text.format(blank, "new 1\nnew \\1\n")
    assert replace_part(old, MARKDOWN, ()) == new
    assert replace_part(new, MARKDOWN, ()) == new


def test_yaml_is_replaced_between_its_markers():
    """A comment may follow the name."""
    text = "before:\n  # <x> generated\n{}  # </x>\nafter: 1\n"
    for old in ("", "  old: 1\n", "  old: 1\n\n  old: 2\n"):
        assert replace_part(text.format(old), YAML, ()) == text.format("  new\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<!-- x -->\n",
        "<!-- /x -->\n<!-- x -->\n",
        "<!-- x -->\n<!-- /x -->\n" * 2,
        "<!-- x -->\nold\n\nwritten by hand\n\n<!-- x -->\nold\n<!-- /x -->\n",
        "<!-- x -->\nold\n<!-- /x -->\n\nwritten by hand\n<!-- /x -->\n",
    ],
)
def test_markers_stand_once(text):
    with pytest.raises(ValueError, match=r"a\.md must hold the markers of the part 'x' once\."):
        replace_part(text, MARKDOWN, ())


def lines(render):
    return "".join(f"{line}\n" for line in render(INPUTS))


def test_the_action_declares_each_input():
    """The default stays empty, so that what is not given can be told from what is."""
    text = lines(generate.action_inputs)
    assert max(map(len, text.splitlines())) <= 104
    declared = yaml.safe_load(text)
    assert list(declared) == ["max-things", "token", "place"]
    assert declared["max-things"] == {
        "description": f"{INPUTS[0].description} Default: `3000`.",
        "required": False,
        "default": "",
    }
    assert declared["token"]["default"] == "${{ github.token }}"
    assert declared["token"]["description"] == "A token. Default: none."


def test_the_reusable_workflow_takes_inputs_and_secrets():
    """A fixed input is in neither."""
    assert list(yaml.safe_load(lines(generate.workflow_inputs))) == ["max-things"]
    assert yaml.safe_load(lines(generate.workflow_secrets)) == {
        "TOKEN": {"description": "A secret.", "required": False}
    }
    assert yaml.safe_load(lines(generate.workflow_with)) == {
        "max-things": "${{ inputs.max-things }}",
        "token": "${{ secrets.TOKEN }}",
    }


def test_tables_name_what_belongs_in_them():
    assert lines(generate.inputs_table).splitlines()[3] == "| `token` | none | A token. |"
    assert lines(generate.limits_table).splitlines()[2:] == ["| `max-things` | 1 | 5,000 |"]
    assert lines(generate.aliases_table).splitlines()[2:] == [
        "| `THINGS` | `max-things` |",
        "| `OTHER_THINGS` | `max-things` |",
    ]
    assert lines(generate.dotenv_lines) == "# THINGS=3000\n# OTHER_THINGS=3000\n"


def test_the_command_restores_what_was_changed_by_hand(tmp_path):
    """It rewrites the files below the folder that it is given."""
    for path in {part.path for part in PARTS}:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    for part in PARTS:
        copy = tmp_path / part.path
        spoilt = replace_part(copy.read_text(), part._replace(render=lambda _: iter(["spoilt"])))
        copy.write_text(spoilt)
    subprocess.run([sys.executable, "-m", "pr_review.config.generate", tmp_path], check=True)
    for part in PARTS:
        assert (tmp_path / part.path).read_bytes() == (ROOT / part.path).read_bytes()
