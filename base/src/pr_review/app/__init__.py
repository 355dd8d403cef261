"""Composes one run: the command line, the action, and the only place that knows every part."""
