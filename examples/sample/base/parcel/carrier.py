"""Talks to the carrier."""

import requests

TRACKING = "https://carrier.example/v2/parcels"


def track(parcel_id: str) -> dict:
    response = requests.get(f"{TRACKING}/{parcel_id}", timeout=10)
    response.raise_for_status()
    return response.json()
