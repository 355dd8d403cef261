"""One failed request to a provider, and the exception that a caller sees when nothing helps."""

import math
from dataclasses import dataclass

from pr_review.errors import ConfigError, ContextOverflow, InvalidTurn, ModelError, PrReviewError
from pr_review.llm.errors.kinds import FailureKind, RaisedAs


@dataclass(frozen=True)
class ProviderFailure:
    """One failed request.

    ``vendor`` fills the codes that begin with it. ``retry_after`` is in seconds. ``parameter`` names the
    optional field of the request that the provider complains about. ``note`` is one more sentence of advice.
    ``request_bytes`` is the size of the request's body, 0 until the sender has filled it in.
    """

    kind: FailureKind
    vendor: str = "provider"
    retry_after: float | None = None
    parameter: str | None = None
    note: str = ""
    request_bytes: int = 0

    @property
    def code(self) -> str:
        """The stable identifier."""
        return self.kind.code.format(vendor=self.vendor)

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed by itself."""
        return self.kind.retries > 0

    def error(self) -> PrReviewError:
        """The exception to raise: our own words, and of the provider's a number of seconds at most."""
        kind, advice = self.kind, self._advice()
        if kind.raised_as is RaisedAs.CONFIG:
            return ConfigError(self.code, kind.sentence, advice)
        if kind.raised_as is RaisedAs.TURN and kind.reason:
            return InvalidTurn(kind.reason, kind.sentence, advice)
        if kind.raised_as is RaisedAs.OVERFLOW:
            return ContextOverflow(kind.sentence, advice, code=self.code, request_bytes=self.request_bytes)
        return ModelError(self.code, kind.sentence, advice, termination_reason=kind.reason)

    def _advice(self) -> str:
        wait = f"It asks to wait {math.ceil(self.retry_after)} seconds." if self.retry_after else ""
        return " ".join(filter(None, (wait, self.note, self.kind.advice)))
