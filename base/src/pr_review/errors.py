"""Every error this program raises on purpose.

    PrReviewError                  code, one sentence, what to do, exit code, termination reason
    ├── ConfigError                2   settings, event or checkout are not usable; nothing was spent
    ├── ReviewError                3   the review could not be finished
    │   ├── RepositoryError            git or the object store failed
    │   ├── HostError                  GitHub's API failed
    │   └── ModelError                 the provider failed or answered outside the protocol
    │       ├── InvalidTurn            one bad turn: may be repaired, never executed
    │       └── ReviewStopped          a budget ended the conversation
    │           ├── ContextOverflow    it does not fit the model's context window
    │           └── PartialReview      some conversations of the run failed
    ├── Skipped                    0   there is nothing to review
    ├── Interrupted          130/143   the runner or a person cancelled the run
    └── InternalError              4   a bug of ours
    ToolFailure                    --  a tool's own error; the model sees it and goes on

A message never holds a secret, a local path, or a provider's body.
"""

from enum import StrEnum

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_CONFIG = 2
EXIT_REVIEW = 3
EXIT_BUG = 4
SIGNAL_EXIT_BASE = 128


class TerminationReason(StrEnum):
    """Why a conversation ended. A run that started none, or that was cancelled, has none."""

    FINAL_REVIEW = "final_review"
    MAX_ROUNDS = "max_rounds"
    MAX_TOOL_CALLS = "max_tool_calls"
    REVIEW_TIMEOUT = "review_timeout"
    INVALID_TOOL_CALL = "invalid_tool_call"
    INVALID_MODEL_RESPONSE = "invalid_model_response"
    UPSTREAM_RESPONSE_TOO_LARGE = "upstream_response_too_large"
    UNSUPPORTED_FINISH_REASON = "unsupported_finish_reason"


class PrReviewError(Exception):
    """Base of the tree: ``code`` is a stable identifier, ``detail`` one sentence, ``advice`` what to do."""

    exit_code: int = EXIT_REVIEW

    def __init__(
        self,
        code: str,
        detail: str,
        advice: str = "",
        *,
        termination_reason: TerminationReason | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.advice = advice
        self.termination_reason = termination_reason


class ConfigError(PrReviewError):
    """Settings, event or checkout cannot be used; raised before anything was spent."""

    exit_code = EXIT_CONFIG


class ReviewError(PrReviewError):
    """The review started and could not be finished."""


class RepositoryError(ReviewError):
    """Git or the object store failed."""


class HostError(ReviewError):
    """GitHub's API failed."""


class ModelError(ReviewError):
    """The provider failed, or answered outside the protocol."""


class InvalidTurn(ModelError):
    """One turn of the model broke the protocol: ``invalid_tool_call`` or ``invalid_model_response``.

    The model may be asked again; nothing of the turn is executed or sent back.
    """

    def __init__(self, reason: TerminationReason, detail: str, advice: str = "") -> None:
        super().__init__(reason.value, detail, advice, termination_reason=reason)
        self.reason = reason


class ReviewStopped(ModelError):
    """A budget ended the conversation: what is known is kept and the conclusion is ``incomplete``."""

    def __init__(
        self, reason: TerminationReason | None, detail: str, advice: str = "", *, code: str | None = None
    ) -> None:
        super().__init__(code or str(reason), detail, advice, termination_reason=reason)


class PartialReview(ReviewStopped):
    """Some conversations of the run failed; what the others found stands."""


class ContextOverflow(ReviewStopped):
    """The conversation does not fit the model's context window.

    ``request_bytes`` is the size of the request that did not fit. A conversation may shrink and ask again.
    """

    def __init__(self, detail: str, advice: str = "", *, code: str, request_bytes: int) -> None:
        super().__init__(TerminationReason.INVALID_MODEL_RESPONSE, detail, advice, code=code)
        self.request_bytes = request_bytes


class Skipped(PrReviewError):
    """There is nothing to review; an outcome, not a failure."""

    exit_code = EXIT_OK


class Interrupted(PrReviewError):
    """The run was cancelled by a signal."""

    def __init__(self, number: int) -> None:
        super().__init__("cancelled", "The run was cancelled.", "Run again if that was not intended.")
        self.exit_code = SIGNAL_EXIT_BASE + number  # 130 or 143


class InternalError(PrReviewError):
    """A bug of ours; the traceback is in ``__cause__`` and shown with ``--debug`` only."""

    exit_code = EXIT_BUG

    def __init__(self) -> None:
        super().__init__(
            "internal_error",
            "pr-review failed because of a bug of its own.",
            "Run again with debug logging (--debug) and report what it prints.",
        )


class ToolFailure(Exception):
    """A tool's own error: the model reads it as ``{"ok":false,"error":{"code","message"}}`` and goes on."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
