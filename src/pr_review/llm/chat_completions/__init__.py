"""The chat-completions wire format."""
