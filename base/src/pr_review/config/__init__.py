"""Inputs, settings and the repository's configuration file: text in, validated values out."""
