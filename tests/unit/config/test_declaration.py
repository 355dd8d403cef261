"""A wrong declaration of an input fails at import, with a sentence."""

import subprocess
import sys

import pytest

from pr_review.config import parsers
from pr_review.config.declaration import Input, declare


def declared(**changes):
    good = {"name": "max-things", "default": "3", "parse": parsers.Integer(1, 5), "description": "Things."}
    return declare(Input(**{**good, **changes}))[0]


def test_the_spellings_follow_from_the_name():
    item = declared()
    assert (item.field, item.variable, item.shown_default) == ("max_things", "INPUT_MAX-THINGS", "`3`")


@pytest.mark.parametrize(
    "name", ["maxThings", "max_things", "Max-Things", "-max", "max-", "max--things", "", "1-x"]
)
def test_a_name_is_in_kebab_case(name):
    with pytest.raises(ValueError, match=rf"The input '{name}' is not named in kebab case\."):
        declared(name=name)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"description": ""}, "has no description"),
        (
            {"default": "0"},
            "has the default '0', which its parser refuses: it must be an integer from 1 to 5",
        ),
        ({"default": "6"}, "has the default '6', which its parser refuses"),
        ({"workflow": "hidden"}, "has the unknown place 'hidden' in the workflow"),
        ({"commands": ("render",)}, "has an option of the unknown command 'render'"),
        ({"file": "raises"}, "has the unknown rule 'raises' for the configuration file"),
        ({"option_help": "Things."}, "describes an option that no command has"),
        ({"repeatable": True}, "describes an option that no command has"),
        ({"parse": parsers.boolean, "default": "true", "commands": ("local",)}, "cannot be an option"),
        (
            {"file": "lowers", "parse": parsers.one_line},
            "is no number that the configuration file could lower",
        ),
    ],
)
def test_a_wrong_declaration_is_one_sentence(changes, problem):
    with pytest.raises(ValueError, match=f"^The input 'max-things' {problem}.*\\.$"):
        declared(**changes)


def test_an_empty_default_is_none():
    assert declared(default="", shown="from the event").shown_default == "from the event"


def test_a_name_is_declared_once():
    with pytest.raises(ValueError, match=r"^The input 'max-things' is declared twice\.$"):
        declare(declared(), declared(name="other"), declared())


def test_an_alias_is_declared_once():
    first, second = declared(aliases=("A", "B")), declared(name="other", aliases=("B",))
    assert declare(first) == (first,)
    with pytest.raises(ValueError, match=r"^The alias 'B' is declared twice\.$"):
        declare(first, second)
    with pytest.raises(ValueError, match=r"^The alias 'B' is declared twice\.$"):
        declare(declared(aliases=("B", "B")))


def test_the_import_of_the_table_checks_it():
    """A parser that refuses every word stands for a wrong declaration."""
    code = (
        "from pr_review.config import parsers\n"
        "parsers.language_tag = parsers.Integer(1, 2)\n"
        "import pr_review.config.inputs\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ValueError: The input 'language' has the default 'en', which its parser refuses" in done.stderr
