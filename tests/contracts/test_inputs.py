"""Every place that repeats the declaration of inputs agrees with it, and outputs are described."""

import re
from pathlib import Path

import pytest
import yaml

from pr_review.config.default_excludes import DEFAULT_EXCLUDES
from pr_review.config.dotenv import ALIASES
from pr_review.config.file_schema import NAMES as FILE_KEYS
from pr_review.config.generate import PARTS, replace_part
from pr_review.config.inputs import INPUTS

ROOT = Path(__file__).parents[2]
NAMES = [item.name for item in INPUTS]
OUTPUTS = {
    "conclusion",
    "findings-count",
    "highest-severity",
    "report-path",
    "summary-path",
    "termination-reason",
}
# What the reusable workflow decides itself: the job's token, its own checkout, and where it uploads from. It
# fetches no baseline: that needs the right to read other runs, which its callers would have to give.
FIXED_IN_WORKFLOW = {"github-token", "path", "output-dir", "workspace-root", "baseline", "fail-on-new"}
SECRETS_OF_WORKFLOW = {"api-key": "PR_REVIEW_API_KEY", "extra-headers": "PR_REVIEW_EXTRA_HEADERS"}


def load(path):
    return yaml.safe_load((ROOT / path).read_text())


def between(path, name):
    text = (ROOT / path).read_text()
    match = re.search(rf"<!-- {name} -->\n+(.*?)\n+<!-- /{name} -->", text, re.DOTALL)
    assert match, f"{path} has no <!-- {name} --> … <!-- /{name} -->"
    return match[1] + "\n"


@pytest.mark.parametrize("part", PARTS, ids=lambda part: f"{part.path}:{part.name}")
def test_generated_parts_are_what_the_declaration_says(part):
    """Byte for byte."""
    text = (ROOT / part.path).read_text(encoding="utf-8")
    assert text == replace_part(text, part), f"{part.path}: run `make inputs`, and commit what it changes"


def test_action_yml_declares_exactly_the_inputs():
    """Same names, same order."""
    assert list(load("action.yml")["inputs"]) == NAMES


@pytest.mark.parametrize("item", INPUTS, ids=NAMES)
def test_action_yml_describes_each_input_with_its_default(item):
    """The default itself stays empty, so that what is not given can be told from what is."""
    declared = load("action.yml")["inputs"][item.name]
    assert declared["description"] == f"{item.description} Default: {item.shown_default}."
    assert declared["default"] == ("${{ github.token }}" if item.name == "github-token" else "")
    assert declared["required"] is False
    assert "${{" not in declared["description"], "the runner would try to evaluate it"


def test_action_yml_declares_the_outputs():
    """Each with a description."""
    outputs = load("action.yml")["outputs"]
    assert outputs.keys() == OUTPUTS
    assert all(output["description"] for output in outputs.values())


def test_action_yml_runs_the_container():
    """The Dockerfile has the entry point in exec form; args or an entrypoint here would bypass it."""
    assert load("action.yml")["runs"] == {"using": "docker", "image": "Dockerfile"}


@pytest.mark.parametrize("path", ["README.md", "docs/configuration.md"])
def test_documents_list_each_input(path):
    """And no other, in the same order."""
    rows = re.findall(r"^\| `([a-z-]+)` \|", between(path, "inputs"), re.MULTILINE)
    assert rows == NAMES


def test_configuration_documents_each_key_of_the_file():
    """And no other."""
    rows = re.findall(r"^\| `([a-z-]+)` \|", between("docs/configuration.md", "file-keys"), re.MULTILINE)
    assert rows == list(FILE_KEYS)


def test_configuration_documents_each_alias():
    """And which input it stands for."""
    rows = re.findall(
        r"^\| `(\w+)` \| `([a-z-]+)` \|", between("docs/configuration.md", "aliases"), re.MULTILINE
    )
    assert rows == [(alias, item.name) for item in INPUTS for alias in item.aliases]


def test_configuration_documents_the_default_exclusions():
    """Every pattern of every kind."""
    section = between("docs/configuration.md", "default-excludes")
    expected = [pattern for patterns in DEFAULT_EXCLUDES.values() for pattern in patterns]
    assert re.findall(r"`([^`]+)`", section) == expected
    assert all(kind in section for kind in DEFAULT_EXCLUDES)


def test_env_example_names_the_aliases():
    """Commented out, so that a copy sets nothing by itself."""
    names = re.findall(r"^# (\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    assert set(names) == ALIASES


def test_the_reusable_workflow_takes_every_input():
    """What the caller can say is what the action understands."""
    called = load(".github/workflows/review.yml")[True]["workflow_call"]
    expected = [name for name in NAMES if name not in FIXED_IN_WORKFLOW | SECRETS_OF_WORKFLOW.keys()]
    assert list(called["inputs"]) == expected
    assert called["secrets"].keys() == set(SECRETS_OF_WORKFLOW.values())
    assert all(not secret["required"] for secret in called["secrets"].values())


def test_a_run_by_hand_offers_the_same_providers():
    """Its list and its default are written by hand, as the only ones of their kind."""
    by_hand = load(".github/workflows/review.yml")[True]["workflow_dispatch"]["inputs"]
    provider = next(item for item in INPUTS if item.name == "provider")
    assert tuple(by_hand["provider"]["options"]) == provider.choices
    assert by_hand["provider"]["default"] == provider.default
    assert by_hand.keys() <= set(NAMES)


def test_the_reusable_workflow_passes_every_input_on():
    """Each by its own name."""
    steps = load(".github/workflows/review.yml")["jobs"]["review"]["steps"]
    passed = next(step["with"] for step in steps if step.get("id") == "review")
    sources = {name: f"inputs.{name}" for name in NAMES if name not in FIXED_IN_WORKFLOW}
    sources |= {name: f"secrets.{secret}" for name, secret in SECRETS_OF_WORKFLOW.items()}
    assert passed == {name: f"${{{{ {source} }}}}" for name, source in sources.items()}


def test_the_reusable_workflow_keeps_the_report_always():
    """Also when the review fails; the checkout leaves no token behind, and rights are read-only."""
    workflow = load(".github/workflows/review.yml")
    job = workflow["jobs"]["review"]
    by_action = {step["uses"].split("@")[0]: step for step in job["steps"]}
    upload = by_action["actions/upload-artifact"]
    default_folder = next(item.default for item in INPUTS if item.name == "output-dir")
    assert (upload["if"], upload["with"]["path"]) == ("always()", default_folder)
    assert by_action["actions/checkout"]["with"] == {"persist-credentials": False}
    assert workflow["permissions"] == {}
    assert job["permissions"] == {"contents": "read", "pull-requests": "read"}
