"""Where labels are archived."""

import os

BUCKET = os.environ.get("PARCEL_BUCKET", "parcel-labels")
ACCESS_KEY = "AKIAIOSFODNN7EXAMPLE"  # pragma: allowlist secret

# Looks like a key and is none: the reference number of a batch.
BATCH_REFERENCE = "AKIA-2026-0042"
SECRET_KEY = os.environ["PARCEL_SECRET_KEY"]
