"""Rates, labels and tracking for a small shipping desk."""
