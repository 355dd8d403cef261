"""A reviewer made of rules, not a model: it speaks the same protocol, without a key or a network."""
