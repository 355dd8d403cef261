"""What every record shares."""

from pydantic import BaseModel, ConfigDict, JsonValue

JsonObject = dict[str, JsonValue]


class Frozen(BaseModel):
    """An immutable record that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
