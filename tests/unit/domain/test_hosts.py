"""Hosts in the one spelling that is judged."""

import ipaddress
import socket

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pr_review.domain.hosts import (
    PRIVATE_NETWORKS,
    address_of,
    canonical_host,
    is_bare_name,
    is_loopback,
    is_private,
)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("Models.Example.COM", "models.example.com"),
        ("models.example.com.", "models.example.com"),
        ("my_llm", "my_llm"),
        ("2130706433", "127.0.0.1"),
        ("0x7F000001", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("0x7f.0.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("10.258", "10.0.1.2"),
        ("134744072", "8.8.8.8"),
        ("0", "0.0.0.0"),
        ("0x", "0.0.0.0"),
        ("\uff11\uff12\uff17.1", "127.0.0.1"),
        ("evil\u3002example", "evil.example"),
        ("evil\uff0eexample", "evil.example"),
        ("evil\uff61example", "evil.example"),
        ("b\u00fccher.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
        ("mo\u00addels.example", "models.example"),
        ("::FFFF:127.0.0.1", "127.0.0.1"),
        ("::ffff:808:808", "8.8.8.8"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("FD00::0001", "fd00::1"),
    ],
)
def test_a_host_has_one_spelling(host, expected):
    assert canonical_host(host) == expected


@pytest.mark.parametrize(
    "host",
    [
        "", ".", "..", "a..b", ".a", "a b", "a%2eb", "a/b", "a@b", "a\\b", "a\0", "[", "\u3002", "*",
        "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "4294967296", "08.1", "evil.1", "a.0x1f", "1." * 9,
        "xn--", "xn--a", "a.xn--zzzzzzzzzzzzzz.b", "\u2603.example", "\u0378.example", "\ud800.example",
        "\u0301a.example", "fe80::1%eth0", "fe80::1%25eth0", "::1::", "1:2", "127.0.0.1:80", ":::",
        "a" * 64, "a." * 127 + "aa", "9" * 5000, "\u00fc" * 400,
    ],
)  # fmt: skip
def test_what_is_no_host_is_refused(host):
    with pytest.raises(ValueError):  # noqa: PT011 -- the caller has the sentence
        canonical_host(host)


def spell(number, style):
    return {"decimal": str(number), "octal": f"0{number:o}", "hex": hex(number), "upper": f"0X{number:X}"}[
        style
    ]


STYLES = st.sampled_from(["decimal", "octal", "hex", "upper"])


@given(st.ip_addresses(v=4), st.integers(1, 4), st.tuples(STYLES, STYLES, STYLES, STYLES))
def test_every_way_to_write_an_address_is_that_address(address, parts, styles):
    """As the system's own resolver reads it."""
    octets = list(address.packed)
    numbers = [*octets[: parts - 1], int.from_bytes(bytes(octets[parts - 1 :]))]
    text = ".".join(map(spell, numbers, styles))
    assert socket.inet_aton(text) == address.packed
    assert canonical_host(text) == str(address)


@given(st.ip_addresses(v=6))
def test_every_way_to_write_an_ipv6_address_is_that_address(address):
    expected = str(address.ipv4_mapped or address)
    assert canonical_host(str(address)) == canonical_host(address.exploded.upper()) == expected


@example("xn--a")
@example("\u2100.com")
@given(st.text("aZ09.-_xn\u00fc\u00df\u3002\uff0e\uff11\u200d\u0301%:[]", max_size=20) | st.text(max_size=12))
def test_any_text_is_a_host_that_clients_take_or_refused(text):
    """Canonical is canonical: it does not change again, and no client finds fault with it."""
    try:
        host = canonical_host(text)
    except ValueError:
        return
    assert canonical_host(host) == host
    assert host.isascii()
    assert host == host.lower()
    shown = f"[{host}]" if ":" in host else host
    assert httpx.URL(f"http://{shown}/v1").raw_host.decode() == host
    assert httpx.URL(f"http://{shown}/v1").host
    if address_of(host):
        assert not is_bare_name(host)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.255.0.9", "10.1.2.3", "172.16.0.1", "172.31.9.9", "192.168.0.1", "::1", "fc00::1",
     "fdff::1", "localhost", "a.localhost", "llm.corp.internal", "nas.local", "box.lan", "ollama"],
)  # fmt: skip
def test_private_hosts(host):
    assert is_private(host)
    assert is_loopback(host) == host.startswith(("127.", "::1", "localhost", "a.localhost"))


@pytest.mark.parametrize(
    "host",
    ["8.8.8.8", "172.32.0.1", "169.254.169.254", "0.0.0.0", "255.255.255.255", "192.0.2.1", "100.64.0.1",
     "198.18.0.1", "2001:db8::1", "2002:7f00:1::", "64:ff9b::7f00:1", "fe80::1", "::", "2606:4700::1",
     "example.com", "localhost.evil.com", "internal.evil.org", "evil-local", "local.", "notlocalhost.com"],
)  # fmt: skip
def test_other_hosts_are_not_private(host):
    if "." in host or ":" in host:
        assert not is_private(host)
    assert not is_loopback(host)


def test_a_bare_name_is_neither_an_address_nor_this_machine():
    assert [
        name for name in ("ollama", "ai", "localhost", "a.b", "127.0.0.1", "::1") if is_bare_name(name)
    ] == [
        "ollama",
        "ai",
    ]


def test_the_private_networks_are_what_the_standard_library_calls_private():
    assert all(network.is_private for network in PRIVATE_NETWORKS)
    assert ipaddress.ip_network("fc00::/7") in PRIVATE_NETWORKS
