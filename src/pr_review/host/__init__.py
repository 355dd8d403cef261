"""GitHub: events, the API, and the runner's protocol."""
