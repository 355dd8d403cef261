"""Renders ``docs/checks.md`` from the tables of the checks; run ``python -m pr_review.checks.page``."""

import sys
from collections.abc import Iterable

from pr_review.checks import committed_secrets, conflicts, leftovers, registry, ruff, tls
from pr_review.checks.hit import Rule
from pr_review.checks.patterns import CodePattern
from pr_review.checks.ruff_rules import load_rules
from pr_review.masking.secret_shapes import SHAPES

INTRO = """\
# Checks

<!-- Generated: python -m pr_review.checks.page > docs/checks.md. A test keeps page and tables equal. -->

With `provider: offline` these rules make the review, and no model is asked. They need neither a key nor a
network. They use the same protocol as a model, so they see only what the tools return.

- Only **added lines** are reported. A defect on a line that the pull request did not touch is not reported.
- A rule is on the list if what it finds is wrong in every project. Style, naming, typing, complexity and
  guesses are left to the project's own linters.
- **Comments in a file do not silence a rule**: `# noqa`, `# ruff: noqa`, `# ruff: disable`, `# nosec` and
  `pragma: allowlist secret` have no effect.
- Several rules that find one cause on one line give one finding. A merge conflict hides the syntax errors
  that it causes.
- Secrets are masked in every quote, also in findings of other rules.
- Left-overs and disabled TLS verification are searched in code only, not in comments and string literals.
- If a check that applies to a file does not run, the file is `not_reviewed` and the run `incomplete`. The
  coverage names the check and the reason: ruff crashed or took too long on the file, the file is not valid
  Python (so ruff's rules cannot run), it has too many defects, it could not be read whole.
- If a file cannot be read whole, for example because it is larger than 1 MiB, only conflict markers and
  secrets are searched, because a single added line proves them. A binary file has NUL bytes and is not
  UTF-8, so it has no lines. It is excluded and listed. If its name is that of a code file, it is
  `not_reviewed` instead, so that a single byte cannot hide code.
- What only looks like a defect is left out: a name that the program which runs a file defines (a notebook, a
  documentation build, a task runner: `hosts.toml` beside the checks lists them with their public sources), a
  function of the file's own with the name of a test framework's, words with the shape of a key, prose and
  markup, a `try` that only releases something, and TLS without verification in a test, behind an option of
  the user, or with a verification of its own.
- If the rules find nothing, the conclusion is `rules_only`, never `clean`, because this proves nothing.

The coverage of a review lists the checks that ran on each file: {names}.
"""

HEAD = "| Rule | Severity | Category | Finds | Why | What to do |\n|---|---|---|---|---|---|\n"


def render() -> str:
    """The whole page, with a final newline."""
    sections = (
        INTRO.format(names=", ".join(f"`{name}`" for name in registry.NAMES)),
        _section(conflicts.NAME, "Every text file.", [conflicts.RULE]),
        _secrets(),
        _section(leftovers.NAME, _languages(leftovers.TABLE), _rules(leftovers.TABLE)),
        _section(tls.NAME, _languages(tls.TABLE), _rules(tls.TABLE)),
        _section(
            ruff.NAME,
            f"Python ({', '.join(ruff.SUFFIXES)}): the whole head version, read as "
            f"{ruff.TARGET_VERSION.replace('py3', 'Python 3.')}, without the repository's configuration.",
            (listed.rule for listed in load_rules().values()),
        ),
    )
    return "\n".join(sections)


def _secrets() -> str:
    """A list of the kinds of secrets instead of a table, because their rules differ only in the name."""
    rules = list({rule.code: rule for rule in map(committed_secrets.rule_of, SHAPES)}.values())
    kinds = "".join(f"- `{rule.code}`: {rule.title}\n" for rule in rules)
    return (
        f"## {committed_secrets.NAME}\n\n"
        "Every text file. Keys whose shape proves them, by the patterns of detect-secrets and some of the\n"
        "same kind. Entropy and keyword detection guess, and are off. Not reported: placeholders, the\n"
        "documented example of a vendor in a Markdown or text file, the key id in a signed URL.\n\n"
        f"Severity {rules[0].severity}, category {rules[0].category}. {rules[0].why} {rules[0].fix}\n\n"
        f"{kinds}"
    )


def _section(name: str, scope: str, rules: Iterable[Rule]) -> str:
    return f"## {name}\n\n{scope}\n\n{HEAD}" + "".join(_row(rule) for rule in rules)


def _row(rule: Rule) -> str:
    cells = (f"`{rule.code}`", rule.severity, rule.category, rule.title, rule.why, rule.fix)
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |\n"


def _rules(table: Iterable[CodePattern]) -> Iterable[Rule]:
    return {entry.rule.code: entry.rule for entry in table}.values()


def _languages(table: Iterable[CodePattern]) -> str:
    names = dict.fromkeys(language.name for entry in table for language in entry.languages)
    return f"{'; '.join(names)}."


if __name__ == "__main__":
    sys.stdout.write(render())
