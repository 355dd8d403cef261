"""Speaks to models: one port, one sender over HTTP, and one package for each wire format."""
