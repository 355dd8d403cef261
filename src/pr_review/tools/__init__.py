"""The four read-only tools a model may call; one class a tool."""
