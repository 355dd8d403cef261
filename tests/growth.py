"""How the work of a function grows with its input, in CPU time: the load of the machine does not matter."""

import time
from collections.abc import Callable

SIZE = 2**16


def cpu_seconds(work: Callable[[], object], times: int = 1) -> float:
    """The least of some measurements."""
    measured = []
    for _ in range(times):
        started = time.process_time()
        work()
        measured.append(time.process_time() - started)
    return min(measured)


def assert_linear(work: Callable[[str], object], piece: str, *, bound: float, size: int = SIZE) -> None:
    """Four times the text takes about four times as long: never eight, sixteen would be quadratic.

    ``bound`` is what one MiB may take, in seconds. ``size`` is the length of the shorter text.
    """
    small, large = (piece * (length // len(piece) or 1) for length in (size, 4 * size))
    short = cpu_seconds(lambda: work(small), times=2)
    long = cpu_seconds(lambda: work(large))
    if long >= 8 * short:  # once more: another process may have emptied the caches
        long = cpu_seconds(lambda: work(large), times=2)
    assert long < 8 * short, f"{piece[:20]!r}: {short:.3f} s, then {long:.3f} s for four times as much"
    assert long < bound * 4 * size / 2**20
