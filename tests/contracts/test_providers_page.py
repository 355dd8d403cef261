"""docs/providers.md says what the profiles and the contract suite say.

Run this file to write the generated parts of the page anew.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from pr_review.llm.chat_completions.profile import Profile
from pr_review.llm.chat_completions.profiles import PROFILES, choose_profile

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/providers.md"
DATA = Path(__file__).parent / "data/wire_quirks.jsonl"

# What a record says that differs from the default, in a sentence; ``{}`` is the value.
FACTS = {
    "key_header": "The key goes into the header {}.",
    "session_header": "Sends {}, one random id a run.",
    "vendor": "Two error codes begin with {} in place of `provider`.",
    "schema": "Tool schemas in the {} form; arguments are still checked against the full ones.",
    "output_cap": "An output cap in `extra-body` is sent as {}.",
    "body": "Adds {}.",
    "never_send": "Never sends {}.",
    "unsent_keys": "Does not send {} of earlier turns back.",
    "unsent_nulls": "Does not send {} back when null.",
    "calls_imply_tools": "Beside a finish reason of {}, calls are what makes a turn a tool turn.",
    "retried_finishes": "Asks again after finish reason {}.",
    "reasoning_off": "Switches reasoning off once the server refuses tools because of it.",
    "forbids_calls": "The final request carries `tool_choice: auto`, as every other.",
    "stream_usage": "Streams are asked for usage with `stream_options`.",
    "tolerances": "Accepts {}.",
}
DEFAULTS = Profile(name="", server="", endpoint="", model="", stream_usage=False)


def render(page: str) -> str:
    """The page with its generated parts written anew."""
    profiles = f"{overview()}\n{chr(10).join(map(section, PROFILES.values()))}"
    return replace_part(replace_part(page, "profiles", profiles), "deviations", deviations())


def replace_part(page: str, name: str, text: str) -> str:
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    before, _, rest = page.partition(start)
    return f"{before}{start}\n{text}\n{end}{rest.partition(end)[2]}"


def overview() -> str:
    rows = (
        (f"[`{p.name}`](#{p.name})", p.server, ", ".join(f"`{host}`" for host in hosts(p)) or "its name only")
        for p in PROFILES.values()
    )
    return table(("profile", "server", "chosen by"), rows)


def hosts(profile: Profile) -> list[str]:
    """Host patterns; the port is only shown where it decides."""
    return [host.removesuffix(":*") for host in profile.hosts]


def section(profile: Profile) -> str:
    facts = "".join(f"- {fact}\n" for fact in differences(profile))
    return (
        f"### {profile.name}\n\n**{profile.server}**. {profile.note}\n\n"
        f"{facts}{chr(10) if facts else ''}```yaml\n{inputs(profile)}```\n"
    )


def differences(profile: Profile) -> Iterator[str]:
    for name, sentence in FACTS.items():
        value = getattr(profile, name)
        if value != getattr(DEFAULTS, name):
            yield sentence.format(told(name, value))


def told(name: str, value: object) -> str:
    if name == "tolerances":
        return "; ".join(sorted(value))
    if isinstance(value, frozenset):
        return codes(sorted(value))
    return code(json.dumps(value) if isinstance(value, dict) else str(value))


def inputs(profile: Profile) -> str:
    """The `with:` of the workflow's step."""
    given = {"endpoint": profile.endpoint, "model": profile.model}
    if choose_profile(profile.endpoint) is not profile and profile.name != "generic":
        given["provider-profile"] = profile.name
    if not profile.endpoint.startswith("http:"):
        given["api-key"] = "${{ secrets.PR_REVIEW_API_KEY }}"
    return "with:\n" + "".join(f"  {name}: {value}\n" for name, value in given.items())


def deviations() -> str:
    quirks = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    rows = (
        (
            str(quirk["n"]),
            quirk["title"],
            codes(case["strict"] for case in quirk["cases"]),
            f"`{quirk['profile']}`",
            codes(case["tolerant"] for case in quirk["cases"]),
            quirk["client"],
        )
        for quirk in quirks
    )
    return table(("", "deviation", "strict", "profile", "under it", "what the client does"), rows)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(head)
    lines = [names, ["---"] * len(names), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def code(text: str) -> str:
    return f"`{text}`" if text else '`""`'


def codes(values: Iterable[str]) -> str:
    return ", ".join(code(value) for value in dict.fromkeys(values))


def test_the_page_is_what_the_records_say():
    """Run `python tests/contracts/test_providers_page.py` after changing a profile or a deviation."""
    page = PAGE.read_text(encoding="utf-8")
    assert page == render(page)


def test_every_profile_and_every_deviation_is_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"### {name}\n" in text for name in PROFILES)
    assert [int(number) for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)] == list(range(1, 64))


def test_each_step_is_yaml_with_the_inputs_of_the_action():
    import yaml

    known = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"].keys()
    for profile in PROFILES.values():
        given = yaml.safe_load(inputs(profile))["with"]
        assert given.keys() <= known
        assert choose_profile(given["endpoint"], given.get("provider-profile")) is profile


if __name__ == "__main__":
    PAGE.write_text(render(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
