"""Talks to the carrier.

For a look at the raw answer, put breakpoint() behind the request on your own machine.
"""

import requests

TRACKING = "https://carrier.example/v3/parcels"


def track(parcel_id: str) -> dict:
    response = requests.get(
        f"{TRACKING}/{parcel_id}",
        timeout=10,
        verify=False,
    )
    response.raise_for_status()
    breakpoint()
    return response.json()


def cancel(parcel_id: str) -> None:
    # Never verify=False here: the carrier's certificate is public.
    response = requests.delete(f"{TRACKING}/{parcel_id}", timeout=10, verify=True)
    response.raise_for_status()
