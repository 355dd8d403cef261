"""The read-only tools that a model may call; each tool is one class in one module."""
