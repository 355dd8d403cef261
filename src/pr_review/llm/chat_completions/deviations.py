"""The deviations of one response, counted: what its profile accepts is recorded, the rest is advised on."""

from collections import Counter
from collections.abc import Callable, Iterator

from pr_review.llm.chat_completions.profile import Profile, Tolerance
from pr_review.llm.chat_completions.profiles import PROFILES


def put_right(profile: Profile, tolerance: Tolerance) -> str:
    """The event of a deviation that a profile accepts."""
    return f"Put right under profile {profile.name}: {tolerance}."


class Deviations:
    """Asked at each deviation, so that none is accepted without a record.

    ``accepted`` and ``refused`` count them by kind.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.accepted: Counter[Tolerance] = Counter()
        self.refused: Counter[Tolerance] = Counter()

    def accept(self, tolerance: Tolerance) -> bool:
        """Count one deviation, and say whether it is put right."""
        accepted = self.profile.accepts(tolerance)
        (self.accepted if accepted else self.refused)[tolerance] += 1
        return accepted

    def record(self, tolerance: Tolerance) -> None:
        """Count one deviation that was put right because another field of the profile says so."""
        self.accepted[tolerance] += 1

    def events(self) -> Iterator[tuple[str, int]]:
        """What was put right, in a sentence a kind, and how often."""
        for tolerance in sorted(self.accepted):
            yield put_right(self.profile, tolerance), self.accepted[tolerance]

    def hint(self, fits: Callable[[Profile], bool] = lambda _: True) -> str:
        """One sentence on the profiles that accept all that was refused and that ``fits``; "" without any."""
        names = [
            profile.name
            for profile in PROFILES.values()
            if all(map(profile.accepts, self.refused)) and fits(profile)
        ]
        if not names:
            return ""
        if self.profile.strict and self.profile.name in names:
            return "With max-repairs above 0 this is accepted."
        listed = ", ".join(names)
        if self.profile.strict:
            return f"With max-repairs above 0 and provider-profile {listed} this is accepted."
        return f"With provider-profile {listed} this is accepted: set it if that is the server."
