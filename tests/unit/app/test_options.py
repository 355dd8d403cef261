"""Options of the command line that stand for inputs."""

import subprocess
import sys

import pytest

from pr_review.app.cli import build_parser
from pr_review.config.inputs import INPUTS

CASES = [(command, item) for item in INPUTS for command in item.commands]
IDS = [f"{command}-{item.name}" for command, item in CASES]


def parse(*argv):
    return vars(build_parser(argv).parse_args(argv))


@pytest.mark.parametrize(("command", "item"), CASES, ids=IDS)
def test_an_option_is_stored_as_the_runner_s_variable(command, item):
    """Nothing is stored for what is not given."""
    option = f"--{item.name}"
    assert parse(command)[item.variable] is None
    if item.is_flag:
        assert parse(command, option)[item.variable] == "true"
    elif item.repeatable:
        assert parse(command, option, "a", option, "b")[item.variable] == ["a", "b"]
    else:
        assert parse(command, option, "a")[item.variable] == "a"


def test_secrets_have_no_option():
    """Every process of the machine can read another's arguments."""
    with_option = {item.name for item in INPUTS if item.commands}
    assert with_option.isdisjoint({"api-key", "github-token", "extra-headers"})


@pytest.mark.parametrize("command", ["local", "check"])
def test_help_describes_each_option(command, capsys):
    """In plain text, with the default."""
    with pytest.raises(SystemExit):
        parse(command, "--help")
    text = " ".join(capsys.readouterr().out.split())
    assert "`" not in text
    for item in INPUTS:
        assert (f" --{item.name} " in text) is (command in item.commands)
        if command in item.commands and not item.is_flag:
            assert f"(default: {item.shown_default.replace('`', '')})" in text


def test_the_options_of_local_do_not_delay_the_action():
    """A workflow run waits for every import."""
    code = (
        "import sys; from pr_review.app.cli import build_parser; build_parser(['action']);"
        "print('pr_review.config.inputs' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
