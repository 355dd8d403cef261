"""How the work of a function grows with its input, in CPU time: the load of the machine does not matter."""

import time
from collections.abc import Callable

SIZE = 2**14


def cpu_seconds(work: Callable[[], object], times: int = 1) -> float:
    """The least of some measurements."""
    measured = []
    for _ in range(times):
        started = time.process_time()
        work()
        measured.append(time.process_time() - started)
    return min(measured)


def assert_linear(work: Callable[[str], object], piece: str, *, size: int = SIZE) -> None:
    """Sixteen times the text takes about sixteen times as long: 256 would be quadratic, 64 is between.

    ``size`` is the length of the shorter text.
    """
    small, large = (piece * (length // len(piece) or 1) for length in (size, 16 * size))
    short = max(0.0005, cpu_seconds(lambda: work(small), times=2))
    long = cpu_seconds(lambda: work(large))
    if long >= 64 * short:  # once more: another process may have emptied the caches
        long = cpu_seconds(lambda: work(large), times=2)
    assert long < 64 * short, f"{piece[:20]!r}: {short:.3f} s, then {long:.3f} s for sixteen times as much"
