"""One decision for every client: which proxy, or none."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pr_review.domain.proxies import MAX_SHOWN, Proxies
from pr_review.errors import ConfigError

IPV6 = 6
PROXY = "http://proxy.example:3128"


def goes_through(no_proxy, url):
    return Proxies.of({"ALL_PROXY": PROXY, "NO_PROXY": no_proxy}).for_url(url) == PROXY


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("10.0.0.0/8", "http://10.1.2.3:8000/v1"),
        ("10.9.9.9/8", "http://10.1.2.3/v1"),
        ("10.0.0.0/255.0.0.0", "http://10.1.2.3/v1"),
        ("127.0.0.0/8", "http://2130706433/v1"),
        ("0.0.0.0/0", "https://8.8.8.8/v1"),
        ("192.168.1.7", "https://192.168.1.7/v1"),
        ("192.168.1.7:8443", "https://192.168.1.7:8443/v1"),
        ("fd00::/8", "http://[fd12::1]/v1"),
        ("[fd00::]/8", "http://[fd12::1]:81/v1"),
        ("[fd00::/8]", "http://[fd12::1]/v1"),
        ("::1", "http://[::1]:8000/v1"),
        ("[::1]", "http://[0:0::1]/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
        ("::ffff:10.0.0.1", "http://10.0.0.1/v1"),
        ("10.0.0.1", "http://[::ffff:10.0.0.1]/v1"),
        ("::ffff:10.0.0.0/104", "http://10.200.0.1/v1"),
        ("0x7f.1", "http://127.0.0.1/v1"),
        ("example.com", "https://example.com/v1"),
        ("example.com", "https://api.example.com/v1"),
        (".example.com", "https://api.example.com/v1"),
        (".example.com", "https://example.com/v1"),
        ("*.example.com", "https://api.example.com/v1"),
        ("EXAMPLE.com.", "https://Api.Example.COM/v1"),
        ("example.com:443", "https://example.com/v1"),
        ("example.com:80", "http://example.com/v1"),
        ("b\u00fccher.example", "https://xn--bcher-kva.example/v1"),
        ("https://example.com/", "https://example.com/v1"),
        ("ollama", "http://ollama:11434/v1"),
        ("localhost", "http://localhost:8000/v1"),
        ("*", "https://anything.example/v1"),
        (" other.example ,, example.com\t", "https://example.com/v1"),
        ("other.example;example.com", "https://example.com/v1"),
        ("10.0.0.0/99, example.com", "https://example.com/v1"),
    ],
)
def test_an_exempted_host_is_asked_without_a_proxy(entry, url):
    assert not goes_through(entry, url)


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("", "https://example.com/v1"),
        ("10.0.0.0/8", "http://11.0.0.1/v1"),
        ("10.0.0.0/8", "http://ten.example/v1"),
        ("0.0.0.0/0", "http://[::1]/v1"),
        ("::/0", "http://10.0.0.1/v1"),
        ("fd00::/8", "http://[fe00::1]/v1"),
        ("example.com", "https://notexample.com/v1"),
        ("example.com", "https://example.com.evil.org/v1"),
        ("api.example.com", "https://example.com/v1"),
        ("example.com:8443", "https://example.com/v1"),
        ("[::1]:8000", "http://[::1]:8001/v1"),
        ("10.0.0.1:80", "https://10.0.0.1/v1"),
        ("localhost", "http://127.0.0.1/v1"),
        ("127.0.0.1", "http://localhost/v1"),
        ("com.", "https://example.org/v1"),
    ],
)
def test_any_other_host_is_asked_through_the_proxy(entry, url):
    assert goes_through(entry, url)


BAD = ["10.0.0.0/99", "fd00::/129", "::1/x", "10.0/8", "10.0.0.*", "<local>", "exa$mple", "a..b", "256.0.0.1",
       "example.com:port", "example.com:999999", "[::1", "fe80::1%eth0", "/8",
       "10.0.0.0/", ".", "*.", "http://"]  # fmt: skip


@pytest.mark.parametrize("entry", BAD)
def test_what_means_nothing_is_ignored_with_a_note(entry):
    proxies = Proxies.of({"HTTPS_PROXY": PROXY, "NO_PROXY": f"{entry} example.com"})
    assert proxies.ignored == (entry,)
    assert proxies.for_url("https://example.com/v1") is None
    assert proxies.for_url("https://example.org/v1") == PROXY
    [note] = proxies.notes
    assert note.startswith("NO_PROXY: ")
    assert ascii(entry) in note


def test_the_note_is_one_and_bounded():
    assert list(Proxies.of({"NO_PROXY": "example.com 10.0.0.0/8"}).notes) == []
    entries = [f"{n}{'$' * 500}" for n in range(MAX_SHOWN + 3)]
    [note] = Proxies.of({"NO_PROXY": ",".join([*entries, "\x1b[31m"])}).notes
    assert len(note) < 600
    assert "and 4 more" in note
    assert note.isprintable()


@pytest.mark.parametrize(
    ("environ", "http", "https"),
    [
        ({}, None, None),
        ({"HTTP_PROXY": PROXY}, PROXY, None),
        ({"https_proxy": PROXY}, None, PROXY),
        ({"ALL_PROXY": "http://a:1", "HTTPS_PROXY": PROXY}, "http://a:1", PROXY),
        ({"HTTPS_PROXY": "http://a:1", "https_proxy": PROXY}, None, PROXY),
        ({"HTTPS_PROXY": PROXY, "https_proxy": ""}, None, None),
        ({"HTTP_PROXY": "proxy.example:3128"}, PROXY, None),
        ({"HTTP_PROXY": f" {PROXY} ", "no_proxy": "", "NO_PROXY": "*"}, PROXY, None),
        ({"HTTP_PROXY": PROXY, "no_proxy": "*"}, None, None),
    ],
)
def test_the_variables_are_read_as_curl_reads_them(environ, http, https):
    proxies = Proxies.of(environ)
    assert proxies.for_url("http://example.com/") == http
    assert proxies.for_url("https://example.com/") == https


@pytest.mark.parametrize(
    "proxy", ["socks5://p:1", "gopher://secret@p", "http://", "http://[::1", "http://p:99999"]
)
def test_a_proxy_that_speaks_no_http_is_refused_where_it_would_be_used(proxy):
    proxies = Proxies.of({"ALL_PROXY": proxy, "NO_PROXY": "10.0.0.0/8"})
    assert proxies.http_for_url("https://10.0.0.1/v1") is None
    with pytest.raises(ConfigError) as caught:
        proxies.http_for_url("https://example.com/v1")
    assert caught.value.code == "invalid_proxy"
    assert "secret" not in f"{caught.value} {caught.value.advice} {proxies!r}"
    assert proxies.for_url("https://example.com/v1") == proxy, "git speaks more than we do"


@pytest.mark.parametrize(
    "url", ["", "nowhere", "http://", "http://[::1", "https://x:99999/", "https://a..b/"]
)
def test_a_url_that_is_none_has_no_proxy(url):
    assert Proxies.of({"ALL_PROXY": PROXY}).for_url(url) is None


@given(st.text("0123456789abc.:/[]*$%, \u00fc", max_size=40))
def test_any_no_proxy_is_read(text):
    """Each entry exempts something or is named."""
    proxies = Proxies.of({"ALL_PROXY": PROXY, "NO_PROXY": text})
    proxies.for_url("https://example.com/")
    distinct = {entry for entry in text.replace(",", " ").split() if entry}
    assert len(proxies.exemptions) + len(proxies.ignored) == len(distinct)
    assert set(proxies.ignored) <= distinct


@given(st.ip_addresses(), st.integers(0, 128))
def test_a_range_exempts_every_address_in_it(address, bits):
    assume(not getattr(address, "ipv4_mapped", None))
    host = f"[{address}]" if address.version == IPV6 else str(address)
    assert not goes_through(f"{address}/{min(bits, address.max_prefixlen)}", f"http://{host}/")
