"""The JSON Schema of ``review.json``."""

import json
from typing import Any

from pr_review.report.artifact.records import ReviewReport

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of the report, its keys sorted; open to fields that a later program adds."""
    generated = ReviewReport.model_json_schema(mode="serialization")
    for definition in (generated, *generated["$defs"].values()):
        if "enum" in definition:  # its docstring speaks to readers of the code
            del definition["description"]
        for field in definition.get("properties", {}).values():
            field.pop("title", None)  # which only repeats its name
    whole = {"$schema": _DIALECT, **generated, "title": "review.json of pr-review"}
    return dict(json.loads(json.dumps(whole, sort_keys=True)))


def schema_text() -> str:
    """The schema as ``pr-review schema`` prints it and docs/review.schema.json holds it."""
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"
