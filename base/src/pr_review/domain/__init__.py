"""Pure, frozen records that every other layer speaks in; no input or output happens here."""
