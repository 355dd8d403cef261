"""What a parcel costs."""

from parcel.units import to_kilos

ZONES = {"domestic": 4.2, "europe": 9.8, "world": 17.5}


def price(grams: int, zone: str) -> float:
    base = ZONES[zone]
    return round(base + 1.1 * to_kilos(grams), 2)
