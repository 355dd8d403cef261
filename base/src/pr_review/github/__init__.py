"""GitHub: the events that start a run, and the REST API."""
