"""Hosts of URLs in the one spelling that says what a client will connect to.

``0x7f.1``, ``2130706433`` and ``[::ffff:127.0.0.1]`` are this machine, and a name with an ideographic full
stop has a dot. Whoever judges a host judges the spelling that this module gives. The rules are those of
browsers: https://url.spec.whatwg.org/#host-parsing
"""

import ipaddress
import re

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_HOST_CHARS = 253
PRIVATE_SUFFIXES = (".internal", ".lan", ".local", ".localhost")
PRIVATE_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7"),
    )
)

_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"0x(?P<hex>[0-9a-f]*)|0(?P<octal>[0-7]*)|(?P<decimal>[1-9][0-9]*)")
_ENDS_IN_NUMBER = re.compile(r"(?:\A|.*\.)(?:[0-9]+|0x[0-9a-f]*)", re.DOTALL)
_OCTETS = 4
_OCTET = 256


def canonical_host(host: str) -> str:
    """Return a host in lower case, as ASCII, without a final dot; an address in its usual form.

    ``host`` is what stands in a URL, without port and brackets. Raises ``ValueError`` for what no client can
    connect to, or clients understand differently.
    """
    if len(host) > 4 * MAX_HOST_CHARS:
        raise ValueError("the host is too long")
    if ":" in host:
        return str(_ipv6(host))
    name = _to_ascii(host).removesuffix(".")
    if _ENDS_IN_NUMBER.fullmatch(name):
        return str(_ipv4(name))
    if len(name) > MAX_HOST_CHARS or not all(map(_LABEL.fullmatch, name.split("."))):
        raise ValueError("the host is not a name")
    return name


def address_of(host: str) -> Address | None:
    """The address that a canonical host is, or None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_private(host: str) -> bool:
    """Whether a canonical host is this machine or in a private network.

    A name without a dot may be: the network's search domains decide (``is_bare_name``).
    """
    if (address := address_of(host)) is None:
        return is_bare_name(host) or host == "localhost" or host.endswith(PRIVATE_SUFFIXES)
    return is_private_address(address)


def is_private_address(address: Address) -> bool:
    """Whether packets to the address stay in this machine or a private network."""
    mapped = getattr(address, "ipv4_mapped", None) or address
    return any(mapped.version == network.version and mapped in network for network in PRIVATE_NETWORKS)


def is_loopback(host: str) -> bool:
    """Whether a canonical host is this machine."""
    if (address := address_of(host)) is None:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback


def is_bare_name(host: str) -> bool:
    """Whether a canonical host is a name without a dot, which only a lookup tells more about."""
    return address_of(host) is None and "." not in host and host != "localhost"


def _to_ascii(name: str) -> str:
    name = name.lower()
    if name.isascii() and "xn--" not in name:
        return name
    import idna  # noqa: PLC0415 -- start-up: most hosts are plain ASCII

    try:
        mapped = idna.uts46_remap(name, std3_rules=False)
        return mapped if _is_plain(mapped) else idna.encode(mapped).decode("ascii")
    except UnicodeError as error:  # the base of idna's own error
        raise ValueError("the host is not an internationalised name") from error


def _is_plain(name: str) -> bool:
    return name.isascii() and "xn--" not in name


def _ipv4(name: str) -> ipaddress.IPv4Address:
    """One to four numbers, decimal, octal or hexadecimal; the last one fills the rest (inet_aton(3))."""
    *octets, last = map(_number, name.split("."))
    room = _OCTET ** (_OCTETS - len(octets))
    if len(octets) >= _OCTETS or last >= room or any(octet >= _OCTET for octet in octets):
        raise ValueError("the host is not an address")
    value = last
    for place, octet in enumerate(octets):
        value += octet * _OCTET ** (_OCTETS - 1 - place)
    return ipaddress.IPv4Address(value)


def _number(text: str) -> int:
    found = _NUMBER.fullmatch(text)
    if not found or len(text) > MAX_HOST_CHARS:
        raise ValueError("the host is not an address")
    if found["decimal"]:
        return int(found["decimal"])
    return int(found["hex"] or "0", 16) if found["hex"] is not None else int(found["octal"] or "0", 8)


def _ipv6(host: str) -> Address:
    if "%" in host:
        raise ValueError("a zone belongs to one machine, not to a URL")
    address = ipaddress.IPv6Address(host)
    return address.ipv4_mapped or address
