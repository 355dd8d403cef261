"""Git: the only package that runs it."""
