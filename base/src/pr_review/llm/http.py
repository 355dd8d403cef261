"""The HTTP client: explicit timeouts, no redirects, and a cap on what is read."""

import ssl
import zlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

import anyio
import httpx

from pr_review import __version__
from pr_review.domain.sizes import MIB
from pr_review.errors import ConfigError, ModelError, ReviewStopped, TerminationReason
from pr_review.llm.errors.kinds import CONNECTION_LOST, TIMED_OUT, TLS_FAILED, UNREACHABLE, FailureKind

MAX_RESPONSE_BYTES = 2 * MIB
CONNECT_TIMEOUT_SECONDS = 15.0
GZIP_OR_ZLIB = 47  # zlib's window bits for "detect the header"


class HttpReply(NamedTuple):
    """One response, read whole or until its reader had enough; ``headers`` are looked up in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def open_client(endpoint: str) -> httpx.AsyncClient:
    """A client for one endpoint that honours proxy variables and ``SSL_CERT_FILE``; follows no redirect.

    The caller closes it. Raises ``ConfigError`` when those variables cannot be used.
    """
    headers = {"User-Agent": f"pr-review/{__version__}", "Accept-Encoding": "identity"}
    try:
        return httpx.AsyncClient(
            headers=headers, verify=_authorities(endpoint), follow_redirects=False, trust_env=True
        )
    except OSError:
        raise ConfigError(
            "tls_bundle_unreadable",
            "The certificate bundle could not be read.",
            "Point SSL_CERT_FILE (or SSL_CERT_DIR) at a readable PEM bundle.",
        ) from None
    except (ValueError, ImportError, httpx.InvalidURL):
        raise ConfigError(
            "invalid_proxy",
            "A proxy variable of the environment holds an address that cannot be used.",
            "Give HTTP_PROXY, HTTPS_PROXY and ALL_PROXY as http:// or https:// URLs.",
        ) from None


def _authorities(endpoint: str) -> ssl.SSLContext:
    """The trusted authorities, read once for the endpoint and its proxies.

    A plain http endpoint trusts nobody, because reading the bundle takes a tenth of the start-up.
    """
    if endpoint.lower().startswith("http:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.create_ssl_context(trust_env=True)


async def post(
    client: httpx.AsyncClient,
    url: str,
    *,
    headers: Mapping[str, str],
    content: bytes,
    seconds: float,
    enough: Callable[[bytes], bool] = lambda _: False,
    connect_seconds: float = CONNECT_TIMEOUT_SECONDS,
) -> HttpReply | FailureKind:
    """Send one request and read its reply within ``seconds``; a network failure is returned as its kind.

    ``enough`` sees each decoded piece of a success and may end the reading (at a stream's ``[DONE]``). Raises
    ``ReviewStopped`` at the deadline and ``ModelError`` for a body over ``MAX_RESPONSE_BYTES``.
    """
    timeout = httpx.Timeout(seconds, connect=min(connect_seconds, seconds))
    request = client.build_request("POST", url, headers=dict(headers), content=content, timeout=timeout)
    try:
        with anyio.fail_after(seconds):
            response = await client.send(request, stream=True)
            try:
                body = await _read(response, enough)
            finally:
                await response.aclose()
    except TimeoutError:
        raise out_of_time() from None
    except httpx.HTTPError as error:
        return _network_kind(error)
    return HttpReply(response.status_code, response.headers, body)


def out_of_time() -> ReviewStopped:
    """The error of a run whose deadline has come."""
    return ReviewStopped(
        TerminationReason.REVIEW_TIMEOUT,
        "The review did not finish within its time.",
        "Raise timeout-seconds, or narrow the review with include or exclude.",
    )


async def _read(response: httpx.Response, enough: Callable[[bytes], bool]) -> bytes:
    """Read and decode piece by piece, so that memory never holds a huge body, compressed or not."""
    inflate = _inflater(response.headers.get("content-encoding", ""))
    body = bytearray()
    async for piece in response.aiter_raw():
        try:
            decoded = inflate(piece, MAX_RESPONSE_BYTES + 1 - len(body))
        except zlib.error:
            break  # the rest is lost; the body so far will not parse, and is reported as malformed
        body += decoded
        if len(body) > MAX_RESPONSE_BYTES:
            raise _too_large()
        if response.is_success and enough(decoded):
            break
    return bytes(body)


def _inflater(encoding: str) -> Callable[[bytes, int], bytes]:
    """A decoder that returns a bounded piece. We ask for identity, and some servers compress anyway."""
    if encoding.strip().lower() in {"gzip", "x-gzip", "deflate"}:
        return zlib.decompressobj(GZIP_OR_ZLIB).decompress
    return lambda piece, _: piece


def _too_large() -> ModelError:
    reason = TerminationReason.UPSTREAM_RESPONSE_TOO_LARGE
    return ModelError(
        reason.value,
        f"The provider's reply is larger than {MAX_RESPONSE_BYTES} bytes.",
        "Check that endpoint is a chat-completions URL, or lower the model's output cap.",
        termination_reason=reason,
    )


def _network_kind(error: httpx.HTTPError) -> FailureKind:
    if isinstance(error, httpx.TimeoutException):
        return TIMED_OUT
    if isinstance(error, httpx.ConnectError | httpx.ProxyError | httpx.UnsupportedProtocol):
        return TLS_FAILED if _is_tls(error) else UNREACHABLE
    return CONNECTION_LOST


def _is_tls(error: BaseException | None) -> bool:
    """Whether the handshake was refused, rather than cut off in the middle."""
    while error is not None:
        if isinstance(error, ssl.SSLError) and not isinstance(
            error, ssl.SSLEOFError | ssl.SSLZeroReturnError
        ):
            return True
        error = error.__cause__ or error.__context__
    return False
