"""A rule-based model: no key, no network, the same protocol."""
