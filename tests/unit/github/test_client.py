"""Requests to a real server on loopback: retries, the deadline, and the error for each failure."""

import datetime as dt
import gzip
import shutil
import socket
import ssl
import threading
import time
import zlib
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pydantic import SecretStr

from pr_review.errors import HostError
from pr_review.github.client import MAX_ATTEMPTS, GitHubClient
from pr_review.github.connection import MAX_ANSWER_BYTES, MAX_ANSWER_PARTS
from pr_review.github.payloads import PullPayload

TOKEN = "ghs_0123456789abcdef"
SECRET_BODY = "internal host db01 and " + TOKEN


def read_pull(github, repository="Codertocat/Hello-World"):
    return github.get_repo(repository).get_pull(2).raw_data


class Client:
    """A client whose deadline and waits the test sees."""

    def __init__(self, api_url, token=None, remaining=600.0, **options):
        self.waits = []
        secret = SecretStr(token) if token is not None else None
        self.client = GitHubClient(
            api_url, secret, remaining=lambda: remaining, sleep=self.waits.append, **options
        )

    def get(self, request=read_pull):
        with closing(self.client):
            return self.client.read(PullPayload, request, needs="pull-requests: read")

    def refusal(self):
        with pytest.raises(HostError) as caught:
            self.get()
        error = caught.value
        told = f"{error} {error.detail} {error.advice}"
        assert TOKEN not in told
        assert "db01" not in told
        assert error.detail.endswith(".")
        assert error.advice.endswith(".")
        return error


def test_an_answer_is_typed_json(github):
    assert Client(github.api_url).get().number == 2


def test_the_token_goes_in_its_header_only(github):
    github.token = TOKEN
    assert Client(github.api_url, TOKEN).get().number == 2
    (request,) = github.server.requests
    assert request.headers["authorization"] == f"token {TOKEN}"
    assert TOKEN not in request.path
    assert request.headers["user-agent"] == "pr-review"


@pytest.mark.parametrize("token", [None, ""])
def test_without_a_token_no_header_is_sent(github, token):
    assert Client(github.api_url, token).get().number == 2
    assert "authorization" not in github.server.requests[0].headers


NO_NUMBERS = ["1e400", "-1e400", "inf", "-inf", "nan", "-1", "1" * 400, "1" * 5000, "0x10", "\xb2", "1e", " "]
LIMITS = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: ascii(value)[:9])
@pytest.mark.parametrize("header", LIMITS)
@pytest.mark.parametrize("status", [200, 403, 429, 503])
def test_a_header_that_is_no_number_ends_in_a_value_or_in_one_sentence(github, status, header, value):
    """GitHub does not send one; a proxy or another server may."""
    whole = github.server.rule

    def answer(request):
        found = github.error(status, "rate limit") if status != 200 else whole(request)
        named = {"x-ratelimit-limit": "60", "x-ratelimit-remaining": "9", "x-ratelimit-reset": "1"}
        return replace(found, headers={**found.headers, **named, header: value})

    github.server.rule = answer
    client, code, said = Client(github.api_url), "", ""
    try:
        assert client.get().number == 2
    except HostError as error:
        code, said = error.code, error.detail
    assert code in {"", "github_bad_response", "github_rate_limited", "github_unavailable"}
    assert not {"inf", "nan"} & set(said.split())
    assert all(0 <= wait <= 60 for wait in client.waits)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_error_is_retried(github, status):
    github.fail(status)
    client = Client(github.api_url)
    assert client.get().number == 2
    assert len(client.waits) == 1
    assert 1 <= client.waits[0] <= 2


@pytest.mark.parametrize(("jitter", "waits"), [(0.0, [1.0, 2.0, 4.0]), (0.5, [1.5, 2.5, 4.5])])
def test_waits_double_and_are_spread_at_random(github, jitter, waits):
    """Many runners must not come back at the same moment."""
    for _ in waits:
        github.fail(503)
    client = Client(github.api_url, jitter=lambda: jitter)
    assert client.get().number == 2
    assert client.waits == waits


def test_a_wait_that_the_run_has_no_time_for_is_not_begun(github):
    github.fail(503)
    client = Client(github.api_url, remaining=1.9, jitter=lambda: 0.95)
    assert client.refusal().code == "github_unavailable"
    assert client.waits == []


@pytest.mark.parametrize(
    ("failures", "passes"), [(MAX_ATTEMPTS - 1, True), (MAX_ATTEMPTS, False), (MAX_ATTEMPTS + 1, False)]
)
def test_attempts_are_bounded(github, failures, passes):
    for _ in range(failures):
        github.fail(503, SECRET_BODY)
    client = Client(github.api_url)
    if passes:
        assert client.get().number == 2
    else:
        assert client.refusal().code == "github_unavailable"
    assert len(github.requests) == MAX_ATTEMPTS
    assert len(client.waits) == MAX_ATTEMPTS - 1


@pytest.mark.parametrize("status", [403, 429])
def test_a_secondary_limit_is_waited_for_as_github_asks(github, status):
    github.fail(status, "You have exceeded a secondary rate limit.", Retry_After="7")
    client = Client(github.api_url)
    assert client.get().number == 2
    assert client.waits == [7.0]


@pytest.mark.parametrize(
    "message",
    ["You have exceeded a secondary rate limit.", "Please wait a few minutes before you try again."],
)
def test_a_secondary_limit_without_a_header_takes_a_minute(github, message):
    github.fail(403, message)
    client = Client(github.api_url)
    assert client.get().number == 2
    assert client.waits == [60.0]


@pytest.mark.parametrize(("wait", "waits"), [("99", True), ("100", True), ("101", False)])
def test_a_wait_beyond_the_deadline_stops_at_once_and_says_so(github, wait, waits):
    github.fail(429, "slow down", Retry_After=wait)
    client = Client(github.api_url, remaining=100.0)
    if waits:
        assert client.get().number == 2
    else:
        error = client.refusal()
        assert error.code == "github_rate_limited"
        assert "101 s, longer than this run has left" in error.detail
    assert client.waits == ([float(wait)] if waits else [])


def test_the_hourly_limit_is_not_waited_for(github):
    github.fail(
        403,
        "API rate limit exceeded for 10.0.0.1.",
        X_RateLimit_Remaining="0",
        X_RateLimit_Reset="1900000000",
    )
    client = Client(github.api_url)
    assert client.refusal().code == "github_rate_limited"
    assert client.waits == []


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "github_unauthorized"),
        (403, "github_forbidden"),
        (404, "github_not_found"),
        (410, "github_refused"),
        (422, "github_refused"),
    ],
)
def test_a_refusal_is_final_and_its_body_stays_out(github, status, code):
    github.fail(status, SECRET_BODY)
    client = Client(github.api_url, TOKEN)
    assert client.refusal().code == code
    assert client.waits == []


def test_a_private_repository_without_permission_names_the_permissions(github):
    github.token = "another"
    advice = Client(github.api_url, TOKEN).refusal().advice
    assert "permissions: { contents: read, pull-requests: read }" in advice
    assert "this needs pull-requests: read" in advice


def test_a_private_repository_without_a_token_asks_for_one(github):
    github.token = "another"
    assert "github-token" in Client(github.api_url).refusal().advice


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b"<html>db01</html>"),
        (200, b"{broken db01"),
        (200, b"[]"),
        (200, b"7"),
        (200, b'"db01"'),
        (200, b""),
        (200, b'{"number": "2"}'),
        (200, b"\xff\xfe"),
        (404, b'["db01"]'),
        (404, b'"db01"'),
        (301, b"{}"),
    ],
)
def test_what_is_not_github_s_api_is_named_so(github, status, body):
    location = {"Location": "https://elsewhere.example/db01"} if status == 301 else {}
    github.server.add(github.server.raw(body, status=status, headers=location))
    assert Client(github.api_url).refusal().code == "github_bad_response"


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (404, b"<html>db01</html>", "github_not_found"),
        (404, b"", "github_not_found"),
        (404, b"null", "github_not_found"),
        (403, b'{"message": 7}', "github_bad_response"),
    ],
)
def test_an_error_body_may_be_anything(github, status, body, code):
    github.server.add(github.server.raw(body, status=status))
    assert Client(github.api_url).refusal().code == code


def test_a_junk_rate_limit_header_is_not_a_crash(github):
    github.fail(404, "Not Found", X_RateLimit_Remaining="many", X_RateLimit_Limit="some")
    assert Client(github.api_url).refusal().code == "github_bad_response"


LARGE = b'{"number": 2, "title": "%s"}'
ENCODINGS = {
    "identity": lambda body: body,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body)),
}


def padded(size):
    return LARGE % (b"x" * (size - len(LARGE) + 2))


@pytest.mark.parametrize("excess", [-1, 0, 1, MAX_ANSWER_BYTES])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_answer_is_bounded_by_its_unpacked_size(github, encoding, excess):
    body = ENCODINGS[encoding](padded(MAX_ANSWER_BYTES + excess))
    headers = {} if encoding == "identity" else {"Content-Encoding": encoding}
    github.server.add(github.server.raw(body, headers=headers))
    client = Client(github.api_url)
    if excess <= 0:
        assert client.get().number == 2
    else:
        assert client.refusal().code == "github_answer_too_large"
    assert client.waits == [], "it would be as large again"


@pytest.mark.parametrize("status", [301, 403, 404, 500])
def test_an_error_answer_is_bounded_too(github, status):
    github.server.add(github.server.raw(padded(MAX_ANSWER_BYTES + 1), status=status))
    assert Client(github.api_url).refusal().code == "github_answer_too_large"


@pytest.mark.parametrize("excess", [-1, 0, 1, 500_000])
@pytest.mark.parametrize("part", ["{}", '{"name":"a"}', "[]"])
def test_the_parts_of_an_answer_are_bounded(github, part, excess):
    """PyGithub makes an object of each label. Two parts are around the others here."""
    parts = ",".join([part] * (MAX_ANSWER_PARTS - 2 + excess))
    field = "unknown" if part == "[]" else "labels"
    github.server.add(github.server.raw(f'{{"number": 2, "{field}": [{parts}]}}'.encode()))
    client = Client(github.api_url)
    if excess <= 0:
        assert client.get().number == 2
    else:
        assert client.refusal().code == "github_answer_too_large"


def test_brackets_inside_texts_are_no_parts(github):
    """Patches are full of them."""
    github.pull["body"] = '{["\\' * MAX_ANSWER_PARTS
    assert Client(github.api_url).get().body == github.pull["body"]


@pytest.mark.parametrize(
    "body", [b'"' * 4_000_000, b'\\"' * 2_000_000, b'"\\' * 2_000_000, b"\\" * 4_000_001]
)
def test_hostile_answers_are_measured_in_linear_time(github, body):
    started = time.monotonic()
    github.server.add(github.server.raw(body))
    assert Client(github.api_url).refusal().code == "github_bad_response"
    assert time.monotonic() - started < 5


def test_a_broken_compression_is_not_github_s_api(github):
    github.server.add(github.server.raw(b"no gzip", headers={"Content-Encoding": "gzip"}))
    assert Client(github.api_url).refusal().code == "github_bad_response"


def test_a_given_proxy_is_used(github):
    github.server.add(github.server.json(github.pull))
    assert Client("http://api.example/api/v3", proxy=github.server.base_url).get().number == 2
    assert (
        github.server.requests[0].path == "http://api.example:80/api/v3/repos/Codertocat/Hello-World/pulls/2"
    )


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_not(github, monkeypatch, name):
    """Whoever made the client has read the environment."""
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert Client(github.api_url).get().number == 2


def test_a_renamed_repository_is_followed(github):
    moved = f"{github.server.base_url}{github.root}/pulls/2"
    github.server.add(github.server.raw(b"{}", status=301, headers={"Location": moved}))
    assert Client(github.api_url).get(lambda github: read_pull(github, "Codertocat/Old")).number == 2
    assert [request.path for request in github.server.requests] == [
        "/api/v3/repos/Codertocat/Old/pulls/2",
        "/api/v3/repos/Codertocat/Hello-World/pulls/2",
    ]


def test_lone_surrogates_in_an_answer_are_replaced(github):
    github.pull["title"] = "SURROGATE"
    body = github.server.json(github.pull).body.replace(b"SURROGATE", rb"a\ud800b")
    github.server.add(github.server.raw(body))
    assert Client(github.api_url).get().title == "a?b"


def test_a_server_that_is_not_there_is_retried_and_then_unreachable():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    client = Client(f"http://127.0.0.1:{port}")
    assert client.refusal().code == "github_unreachable"
    assert len(client.waits) == MAX_ATTEMPTS - 1


def test_a_connection_cut_in_the_middle_is_retried(github):
    github.server.add(github.server.raw(b'{"number', hang_up=True))
    assert Client(github.api_url).get().number == 2


def test_a_silent_server_is_left_when_the_run_has_no_time(github):
    github.server.rule = lambda _: github.server.json(github.pull, delay=5.0)
    client = Client(github.api_url, remaining=0.5)
    assert client.refusal().code == "github_unreachable"
    assert client.waits == []


def open_sockets():
    count = 0
    for path in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the descriptor of this very listing
            count += str(path.readlink()).startswith("socket:")
    return count


def test_close_ends_the_connection_and_may_be_repeated(github):
    """Client and server are both in this process, so each connection is two sockets."""
    before = open_sockets()
    client = Client(github.api_url).client
    with closing(client):
        client.read(PullPayload, read_pull, needs="")
        client.read(PullPayload, read_pull, needs="")
        kept = client._github  # the garbage collector must not be what closes it
        assert open_sockets() == before + 2
    deadline = time.monotonic() + 5
    while open_sockets() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert open_sockets() == before
    assert kept is not None
    client.close()


def test_a_client_that_asks_nothing_opens_nothing(github):
    Client(github.api_url).client.close()
    assert github.requests == []


SUBJECT_HASH = "756b76dc.0"  # of CN=test, as `openssl rehash` names its file


@pytest.fixture
def certificate(tmp_path):
    """A self-signed certificate for 127.0.0.1, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = dt.datetime.now(dt.UTC)
    cert = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "server.pem"
    path.write_bytes(
        cert.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return path


@pytest.fixture
def tls_url(certificate):
    """An HTTPS server that answers every request with the same pull request."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    body = b'{"number": 2, "base": {"ref": "a"}, "head": {"ref": "b"}}'

    def serve(listener):
        while True:
            try:
                raw, _ = listener.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(raw, server_side=True) as connection:
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            except OSError:
                raw.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        yield f"https://localhost:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def test_an_unknown_certificate_authority_is_refused_at_once(tls_url):
    client = Client(tls_url, TOKEN)
    error = client.refusal()
    assert error.code == "github_tls"
    assert "SSL_CERT_FILE" in error.advice
    assert client.waits == []


def test_a_certificate_authority_of_one_s_own_can_be_given(tls_url, certificate):
    assert Client(tls_url, TOKEN, authorities=str(certificate)).get().number == 2


def test_a_folder_of_certificate_authorities_can_be_given(tls_url, certificate, tmp_path):
    (tmp_path / "authorities").mkdir()
    shutil.copy(certificate, tmp_path / "authorities" / SUBJECT_HASH)
    assert Client(tls_url, TOKEN, authorities=str(tmp_path / "authorities")).get().number == 2


def test_certificate_authorities_that_are_not_there_are_named(tls_url, tmp_path):
    error = Client(tls_url, TOKEN, authorities=str(tmp_path / "absent.pem")).refusal()
    assert error.code == "github_tls"
    assert str(tmp_path) not in f"{error} {error.advice}"


@pytest.mark.parametrize("api_url", ["", "api.github.com", "ftp://127.0.0.1", "http://"])
def test_an_api_url_that_is_none_is_named(api_url):
    assert Client(api_url).refusal().code == "github_bad_response"
