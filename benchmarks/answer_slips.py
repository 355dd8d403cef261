"""Counts the findings that slips in a model's answer lose, invent or move to another file.

It makes valid reviews of a made-up repository and puts one to three slips into each: in the JSON, in the
review, in a finding, or in the spelling of a path. A conversation then reads each as a review does. Half of
the models repeat the answer when they are asked again, and the others send the valid one. The findings are
placed in the repository.

    python benchmarks/answer_slips.py [ANSWERS] [SEED]

It prints what became of the findings. A finding is sound when a reader can tell in one way only what it says.
Then every answer is read once more with `max-repairs: 0`, and compared with a JSON Schema that was written
apart from the program. The exit code is 1 when a sound finding is lost, one is invented or moved, or
something is accepted that the schema refuses.
"""

import json
import random
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import anyio
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from pr_review.conversation.conversation import Conversation
from pr_review.domain.change import ChangedFile, Diff, FileStatus
from pr_review.domain.chat import FinishReason, Message, Reply, Role
from pr_review.domain.run import ConversationLimits, Purpose
from pr_review.errors import ModelError
from pr_review.findings.answer_reading import as_read
from pr_review.findings.path_spelling import Origin
from pr_review.findings.placement import place
from pr_review.findings.submission import Submission
from pr_review.llm.scripted import ScriptedModel
from pr_review.review.passes.find import REVIEWS
from pr_review.tools.toolbox import Toolbox

Json = dict[str, Any]

# Names that are easily taken for each other.
PATHS = (
    "README.md",
    "src/app.py",
    "src/App.java",
    "src/index.js",
    "src/lib/index.js",
    "lib/app.py",
    "packages/one/src/util.ts",
    "packages/two/src/util.ts",
    "a/b.py",
    "b.py",
    "docs/guide one.md",
    "c:odd.py",
    "back\\\\slash.py",
    unicodedata.normalize("NFD", "src/Café.py"),
)
CHANGED = PATHS[1::2]
ORIGIN = Origin("https://github.com/acme/shop", "acme/shop", ("/srv/checkout",))
WORDS = (
    "the",
    "lock",
    "total",
    "user",
    "retries",
    "is",
    "never",
    "released",
    "loop",
    "ends",
    "callers",
    "wait",
)

_TEXT = {"type": "string"}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["summary", "findings", "notes"],
    "properties": {
        "summary": _TEXT,
        "notes": {"type": "array", "maxItems": 100, "items": _TEXT},
        "findings": {
            "type": "array",
            "maxItems": 100,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": [
                    *("severity", "title", "explanation", "path", "line", "evidence", "recommendation"),
                ],
                "properties": {
                    "severity": {"enum": ["critical", "high", "medium", "low"]},
                    "title": {"type": "string", "pattern": r"\S"},
                    "explanation": _TEXT,
                    "path": _TEXT,
                    "line": True,
                    "end_line": True,
                    "evidence": _TEXT,
                    "recommendation": _TEXT,
                    "existing_code": {"type": ["string", "null"]},
                    "suggestion": {"type": ["string", "null"]},
                    "category": True,
                    "confidence": True,
                },
            },
        },
    },
}
VALIDATOR = Draft202012Validator(SCHEMA)


class Tree:
    """The made-up repository; no file has a text, so that only the path decides."""

    def head_names(self) -> Collection[str]:
        return PATHS

    def real_path(self, _path: str) -> None:
        return None

    def head_lines(self, path: str) -> Sequence[str] | None:
        return () if path in PATHS else None

    def base_lines(self, _path: str) -> None:
        return None

    def head_text(self, _path: str) -> None:
        return None


DIFF = Diff("0" * 40, "1" * 40, tuple(ChangedFile(path, FileStatus.MODIFIED, "") for path in CHANGED))


@dataclass
class Answer:
    """A review that is being spoilt; ``unclear`` are the names of findings that stay unreadable."""

    review: Json
    random: random.Random
    unclear: set[str] = field(default_factory=set)
    text_slips: list[Callable[[str], str]] = field(default_factory=list)

    def text(self) -> str:
        """The answer as the model sends it."""
        text = json.dumps(self.review, ensure_ascii=self.random.random() < 0.5)
        for slip in self.text_slips:
            text = slip(text)
        return text


# --- slips ------------------------------------------------------------------------------------------------

CLEAR_FIELDS: Mapping[str, Sequence[Any]] = {
    "evidence": (None, ..., ["a", "b"], 7),
    "recommendation": (None, ..., [], {"do": "it"}),
    "explanation": (None, ..., ["one", "two"]),
    "line": (None, ..., 0, -1, "3", "3-4", "L3", 3.0, 10**9, [3]),
    "end_line": ("9", None, -1, "x"),
    "category": ("Security", "error handling", "style", 7),
    "confidence": ("High", 0.9, None),
    "existing_code": (["x", "y"], 7, None),
    "suggestion": (7, None, ["x"]),
    "cwe": ("CWE-95", {"id": 95}),
    "rule": ("F821",),
}
SEVERITIES = {
    "critical": ("Critical", "CRITICAL ", "blocker", "P0"),
    "high": ("High", "major", "P1", "**high**", "error"),
    "medium": ("MEDIUM", "moderate", "warning", "severity: medium"),
    "low": ("Low", "minor", "info", "nit", "P3"),
}
UNCLEAR_FIELDS: Mapping[str, Sequence[Any]] = {
    "severity": ("", 7, None, ..., "high/low", "terrible"),
    "path": (None, ..., 7, ["src/app.py"]),
}
SPELLINGS: Sequence[Callable[[str], str]] = (
    "./{}".format,
    "/{}".format,
    "a/{}".format,
    "`{}`".format,
    '"{}"'.format,
    " {}\n".format,
    "{}:12".format,
    "{}:12:3".format,
    "{}#L12-L14".format,
    "acme/shop/{}".format,
    "/srv/checkout/{}".format,
    "/github/workspace/{}".format,
    "https://github.com/acme/shop/blob/0123abcd/{}#L3".format,
    lambda path: path.replace("/", "\\"),
    lambda path: path.replace("\\\\", "\\"),
    lambda path: unicodedata.normalize("NFC", path),
    lambda path: path.rpartition("/")[2],
    str.upper,
    lambda path: f"no/such/{path}",
)


def spoil_field(answer: Answer) -> None:
    """A finding that can still be read in one way only."""
    if not answer.review["findings"]:
        return
    found = answer.random.choice(answer.review["findings"])
    name = answer.random.choice(["severity", "path", *CLEAR_FIELDS])
    if name == "severity" and found.get("severity") in SEVERITIES:
        found[name] = answer.random.choice(SEVERITIES[found["severity"]])
    elif name == "path" and isinstance(found.get("path"), str):
        spelled = answer.random.choice(SPELLINGS)(found["path"])
        found[name] = found[name] if spelled in PATHS else spelled  # the name of another file means that file
    elif name in CLEAR_FIELDS:
        _set(found, name, answer.random.choice(CLEAR_FIELDS[name]))


def spoil_meaning(answer: Answer) -> None:
    """A finding of which nobody can tell what it says."""
    if not answer.review["findings"]:
        return
    found = answer.random.choice(answer.review["findings"])
    name = answer.random.choice(list(UNCLEAR_FIELDS))
    _set(found, name, answer.random.choice(UNCLEAR_FIELDS[name]))
    answer.unclear.add(name_of(found["title"]))


def spoil_review(answer: Answer) -> None:
    """A side field of the review."""
    slips = {
        "notes": (None, ..., "one", [{"text": "a"}], [1, None], {"a": "b"}),
        "summary": (None, ..., ["a", "b"], 7),
        "verdict": ("comment", None),
    }
    name = answer.random.choice(list(slips))
    _set(answer.review, name, answer.random.choice(slips[name]))


TEXT_SLIPS: Sequence[Callable[[str], str]] = (
    lambda text: text.replace(" wait", "\twait"),
    lambda text: text.replace(" ends", "\nends"),
    lambda text: text.replace(" user", r" \d\$\w user"),
    lambda text: text.replace(" never", r" nev\'er"),
    lambda text: re.sub(r"}(?=\W*\Z)", ",}", text),
    lambda text: text.replace("}]", "},]"),
    "```json\n{}\n```".format,
    lambda text: f"{text}\n\nThat is all.",
    lambda text: f"Here is my review of f() {{ }}:\n{text}",
)


def spoil_json(answer: Answer) -> None:
    """The text: what can be read in one way only, which two commas in a row cannot."""
    slip = answer.random.choice(TEXT_SLIPS)
    if slip not in answer.text_slips:
        answer.text_slips.append(slip)


def spoil_whole(answer: Answer) -> None:
    """The whole answer: nothing of it can be read."""
    slips: Sequence[Callable[[str], str]] = (
        lambda text: text[: len(text) * 2 // 3],
        lambda text: f"{text}\n{text}",
        lambda text: f"[{text}]",
        lambda text: text.replace('"findings"', '"results"'),
        lambda text: text.replace(":", " ", 1),
    )
    answer.text_slips.append(answer.random.choice(slips))
    answer.unclear.update(name_of(found["title"]) for found in answer.review["findings"])


SLIPS = (
    spoil_field,
    spoil_field,
    spoil_field,
    spoil_json,
    spoil_json,
    spoil_review,
    spoil_meaning,
    spoil_whole,
)


def _set(target: Json, name: str, value: Any) -> None:
    if value is ...:
        target.pop(name, None)
    else:
        target[name] = value


# --- one answer -------------------------------------------------------------------------------------------


def make_review(number: int, rng: random.Random) -> Json:
    """A valid review; each title begins with a name of its own."""
    findings = []
    for index in range(rng.randint(0, 6)):
        text = " ".join(rng.sample(WORDS, 6))
        findings.append({
            "severity": rng.choice(list(SEVERITIES)),
            "title": f"{number}.{index} {text}",
            "explanation": f"{number}.{index} {text} wait",
            "path": rng.choice(PATHS),
            "line": rng.choice([None, rng.randint(1, 99)]),
            "evidence": text,
            "recommendation": f"{text} ends",
            "existing_code": f"x{number}_{index}()",
        })  # fmt: skip
    return {"summary": "Read the user code.", "findings": findings, "notes": ["one"] * rng.randint(0, 2)}


class Sample(NamedTuple):
    """An answer with slips: its texts, one a turn, and what should be kept of the valid review."""

    texts: tuple[str, ...]
    valid: Json
    expected: frozenset[str]


def name_of(title: str) -> str:
    """The name of a finding, which no slip changes."""
    return title.split(maxsplit=1)[0]


def make_sample(number: int, seed: int) -> Sample:
    rng = random.Random(f"{seed}.{number}")
    valid = make_review(number, rng)
    answer = Answer(json.loads(json.dumps(valid)), rng)
    for _ in range(rng.randint(1, 3)):
        rng.choice(SLIPS)(answer)
    titles = frozenset(name_of(found["title"]) for found in valid["findings"])
    if rng.random() < 0.5:
        return Sample((answer.text(), json.dumps(valid)), valid, titles)
    return Sample((answer.text(),) * 3, valid, titles - answer.unclear)


def hold(texts: Sequence[str], repairs: int) -> Submission | None:
    """What a conversation makes of a model that says these texts; None when it fails."""
    replies = [Reply(message={}, finish=FinishReason.STOP, finish_word="stop", text=text) for text in texts]
    conversation = Conversation(
        "find-1",
        Purpose.FIND,
        model=ScriptedModel(replies),
        toolbox=Toolbox([]),
        limits=ConversationLimits(max_repairs=repairs),
        answers=REVIEWS[repairs > 0],
        clock=lambda: 0.0,
    )
    try:
        return anyio.run(conversation.run, [Message(role=Role.USER, content="review this")])
    except ModelError:
        return None


def judge(sample: Sample, totals: Counter[str]) -> None:
    """Count what became of the findings of one answer."""
    written = {name_of(found["title"]): found["path"] for found in sample.valid["findings"]}
    read = hold(sample.texts, 2)
    kept = {name_of(found.title) for found in read.findings} if read else set[str]()
    totals["sound"] += len(sample.expected)
    totals["kept"] += len(kept & sample.expected)
    totals["invented"] += len(kept - written.keys())
    totals["unclear, listed"] += len(as_read(read).refused) if read else 0
    if read:
        review = place(read, DIFF, Tree(), str, ORIGIN)
        totals["after merging"] += sum(1 + found.merged for found in review.findings)
        totals["read"] += len(read.findings)
        totals["moved"] += sum(
            found.is_placed and found.path != written.get(name_of(found.title), found.path)
            for found in review.findings
        )
        totals["without a place"] += sum(not found.is_placed for found in review.findings)
    strict = hold(sample.texts[:1], 0)
    totals["strictly accepted"] += strict is not None
    totals["strictly accepted, against the schema"] += strict is not None and not is_valid(sample.texts[0])


def is_valid(text: str) -> bool:
    """Whether the text is JSON without a repeated key, and a review by the schema."""

    def unique(pairs: list[tuple[str, Any]]) -> Json:
        if len(dict(pairs)) != len(pairs):
            raise ValueError
        return dict(pairs)

    try:
        return bool(VALIDATOR.is_valid(json.loads(text, object_pairs_hook=unique)))
    except ValueError:
        return False


def main(answers: int = 10_000, seed: int = 7) -> int:
    totals: Counter[str] = Counter()
    for number in range(answers):
        judge(make_sample(number, seed), totals)
    share = 100 * totals["kept"] / max(1, totals["sound"])
    print(f"{answers:,} answers, seed {seed}: {share:.2f} % of {totals['sound']:,} sound findings kept")
    for name, count in totals.items():
        print(f"{name:40} {count:>8,}")
    wrong = (
        totals["sound"] - totals["kept"],
        totals["read"] - totals["after merging"],
        totals["invented"],
        totals["moved"],
        totals["strictly accepted, against the schema"],
    )
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
