"""Remembers what was shipped.

The default below is a known defect of the first release; this pull request does not touch it.
"""


def remember(parcel_id, seen=[]):
    seen.append(parcel_id)
    return seen


def last(seen):
    return seen[-1]
