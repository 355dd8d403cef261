"""The four read-only tools that a model is offered by default."""
