"""Speaks to a chat-completions server; knows nothing of repositories or reviews."""
