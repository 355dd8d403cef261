"""docs/artifact.md describes every field of the published schema."""

import json
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_every_field_of_the_schema_is_on_the_page():
    schema = json.loads((DOCS / "review.schema.json").read_text(encoding="utf-8"))
    records = (schema, *schema["$defs"].values())
    fields = {name for record in records for name in record.get("properties", ())}
    named = set(re.findall(r"`(\w+)`", (DOCS / "artifact.md").read_text(encoding="utf-8")))
    assert sorted(fields - named) == []
