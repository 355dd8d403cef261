"""The HTTP client over a real socket: caps, deadlines, redirects, TLS, proxies."""

import gzip
import ipaddress
import socket
import ssl
import time
import tracemalloc
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pr_review.errors import ConfigError, ModelError, ReviewStopped, TerminationReason
from pr_review.llm import http
from pr_review.llm.errors.kinds import CONNECTION_LOST, TIMED_OUT, TLS_FAILED, UNREACHABLE

pytestmark = pytest.mark.anyio
LIMIT = 2_097_152


async def send(url: str, *, seconds: float = 20.0, **options):
    async with http.open_client(url) as client:
        return await http.post(client, url, headers={}, content=b"{}", seconds=seconds, **options)


def deflated(size: int) -> bytes:
    return zlib.compress(b"x" * size)


ENCODINGS = {
    "identity": (lambda size: b"x" * size, {}),
    "gzip": (lambda size: gzip.compress(b"x" * size), {"Content-Encoding": "gzip"}),
    "deflate": (deflated, {"Content-Encoding": "deflate"}),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT])
async def test_a_body_up_to_the_limit_is_read(chat_server, encoding, size):
    encode, headers = ENCODINGS[encoding]
    chat_server.add(chat_server.raw(encode(size), headers=headers))
    reply = await send(chat_server.url)
    assert len(reply.body) == size


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("status", [200, 500])
async def test_a_body_over_the_limit_stops_the_review(chat_server, encoding, status):
    encode, headers = ENCODINGS[encoding]
    chat_server.add(chat_server.raw(encode(LIMIT + 1), headers=headers, status=status))
    with pytest.raises(ModelError) as error:
        await send(chat_server.url)
    assert error.value.termination_reason is TerminationReason.UPSTREAM_RESPONSE_TOO_LARGE
    assert error.value.code == "upstream_response_too_large"


async def test_an_endless_chunked_body_is_cut_at_the_limit(chat_server):
    """There is no Content-Length to look at."""
    chat_server.add(chat_server.chunked([b"x" * 65536] * 200))
    with pytest.raises(ModelError, match="too_large"):
        await send(chat_server.url)


async def test_a_compressed_bomb_is_never_inflated(chat_server):
    """1 GiB in 1 MiB, of which no piece is ever inflated beyond the limit."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    first, further = (squeeze.compress(bytes(1 << 20)) + squeeze.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    chat_server.add(chat_server.raw(first + further * 1023, headers={"Content-Encoding": "gzip"}))
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match="too_large"):
            await send(chat_server.url)
        assert tracemalloc.get_traced_memory()[1] < 4 * LIMIT
    finally:
        tracemalloc.stop()


async def test_a_broken_compressed_body_is_what_could_be_read(chat_server):
    chat_server.add(chat_server.raw(b"not gzip", headers={"Content-Encoding": "gzip"}))
    assert (await send(chat_server.url)).body == b""


async def test_compression_is_not_asked_for(chat_server):
    chat_server.add(chat_server.raw(b"{}"))
    await send(chat_server.url)
    assert chat_server.requests[0].headers["accept-encoding"] == "identity"
    assert chat_server.requests[0].headers["user-agent"].startswith("pr-review/")


async def test_reading_ends_when_the_reader_has_enough(chat_server):
    """A server may keep a stream open behind ``[DONE]``."""
    chat_server.add(chat_server.chunked([b"data: [DONE]\n\n", b"x"], chunk_delay=5.0))
    started = time.monotonic()
    reply = await send(chat_server.url, enough=lambda piece: b"[DONE]" in piece)
    assert reply.body == b"data: [DONE]\n\n"
    assert time.monotonic() - started < 2.0


async def test_an_error_body_is_read_whole_whatever_the_reader_says(chat_server):
    chat_server.add(chat_server.chunked([b"a", b"b"], status=500))
    assert (await send(chat_server.url, enough=lambda _: True)).body == b"ab"


async def test_the_deadline_ends_a_slow_reply(chat_server):
    chat_server.add(chat_server.raw(b"{}", delay=5.0))
    with pytest.raises(ReviewStopped) as stopped:
        await send(chat_server.url, seconds=0.3)
    assert stopped.value.termination_reason is TerminationReason.REVIEW_TIMEOUT


async def test_the_deadline_ends_a_reply_that_drips(chat_server):
    """Each read is in time; the whole is not."""
    chat_server.add(chat_server.chunked([b"x"] * 50, chunk_delay=0.1))
    with pytest.raises(ReviewStopped, match="review_timeout"):
        await send(chat_server.url, seconds=0.5)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
async def test_without_time_nothing_is_sent(chat_server, seconds):
    with pytest.raises(ReviewStopped, match="review_timeout"):
        await send(chat_server.url, seconds=seconds)
    assert chat_server.requests == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(chat_server, status):
    """The key must not travel to another place."""
    chat_server.add(chat_server.raw(b"", status=status, headers={"Location": chat_server.base_url + "/else"}))
    assert (await send(chat_server.url)).status == status
    assert len(chat_server.requests) == 1


async def test_a_broken_connection_is_named(chat_server):
    chat_server.add(chat_server.raw(b"{", hang_up=True), chat_server.chunked([b"{"], hang_up=True))
    assert await send(chat_server.url) is CONNECTION_LOST
    assert await send(chat_server.url) is CONNECTION_LOST


async def test_a_closed_port_is_unreachable():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert await send(f"http://127.0.0.1:{port}/v1") is UNREACHABLE


async def test_an_unknown_host_is_unreachable():
    assert await send("http://nowhere.invalid/v1") is UNREACHABLE


async def test_a_handshake_that_hangs_is_a_timeout_that_can_be_tried_again():
    """The handshake gets a small part of the run's time."""
    assert http.CONNECT_TIMEOUT_SECONDS == 15.0
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert await send(f"https://127.0.0.1:{port}/v1", connect_seconds=0.2) is TIMED_OUT


async def test_a_certificate_of_an_unknown_authority_is_a_tls_failure(start_chat_server, certificate):
    assert await send(start_chat_server(server_context(certificate)).url) is TLS_FAILED


async def test_a_private_authority_is_trusted_through_ssl_cert_file(
    start_chat_server, certificate, monkeypatch
):
    server = start_chat_server(server_context(certificate))
    server.add(server.raw(b"{}"))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert (await send(server.url)).body == b"{}"


async def test_plain_http_behind_https_is_a_tls_failure(chat_server):
    assert await send(chat_server.url.replace("http:", "https:")) is TLS_FAILED


async def test_an_unreadable_bundle_is_a_configuration_error(monkeypatch, tmp_path):
    bundle = tmp_path / "bundle.pem"
    bundle.write_text("not a certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    with pytest.raises(ConfigError) as error:
        http.open_client("https://llm.example.com/v1")
    assert error.value.code == "tls_bundle_unreadable"
    assert str(tmp_path) not in f"{error.value} {error.value.advice}"


async def test_for_plain_http_the_bundle_is_not_read_and_nobody_is_trusted(
    start_chat_server, certificate, monkeypatch, tmp_path
):
    """Start-up: reading it costs a tenth of it. What is left out is trust, never the check."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    http.open_client("HTTP://llm.example.com/v1")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    server = start_chat_server(server_context(certificate))
    async with http.open_client("http://llm.example.com/v1") as client:
        assert await http.post(client, server.url, headers={}, content=b"", seconds=20.0) is TLS_FAILED
    assert server.requests == []


async def test_the_proxy_is_the_given_one_and_none_of_the_environment(chat_server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    chat_server.add(chat_server.raw(b"{}"), chat_server.raw(b"{}"))
    url = "http://llm.example.com/v1/chat/completions"
    async with http.open_client(url, chat_server.base_url) as client:
        await http.post(client, url, headers={}, content=b"{}", seconds=20.0)
    assert chat_server.requests[0].path == url
    assert (await send(chat_server.url)).status == 200


async def test_a_proxy_that_cannot_be_used_is_a_configuration_error():
    with pytest.raises(ConfigError) as error:
        http.open_client("https://llm.example.com/v1", "gopher://secret@proxy.example.com")
    assert error.value.code == "invalid_proxy"
    assert "secret" not in f"{error.value} {error.value.advice}"


@pytest.fixture(autouse=True)
def _without_proxies(monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A PEM file with the key and the self-signed certificate of 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = tmp_path / "server.pem"
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return path


def server_context(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
