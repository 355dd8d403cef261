"""What every record shares."""

from pydantic import BaseModel, ConfigDict, JsonValue

JsonObject = dict[str, JsonValue]


class Frozen(BaseModel):
    """An immutable record that refuses unknown fields.

    Its validator is built at first use, because a run starts faster without those that it never uses.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
