"""Which proxy a request goes through, decided in one place for the model, GitHub's API and git.

Each client understands ``NO_PROXY`` in its own way: git knows only suffixes, and httpx fails on a range of
IPv6. So they are told the decision and never read the variables. Names match themselves and what is below
them, with or without a leading dot, as in curl.
"""

import ipaddress
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from pr_review.domain.hosts import address_of, canonical_host
from pr_review.domain.text import shorten
from pr_review.errors import ConfigError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

PORTS = {"http": 80, "https": 443}
MAPPED_BITS = 96  # before the IPv4 address in an address of IPv6 that maps it
MAX_SHOWN = 5
MAX_SHOWN_CHARS = 60

_HOST_AND_PORT = re.compile(r"(?:\[(?P<bracketed>[^\[\]]*)\]|(?P<plain>[^\[\]:]*))(?::(?P<port>[0-9]{1,5}))?")


class Exemption(NamedTuple):
    """One entry of ``NO_PROXY``: a name or addresses, perhaps of one port. Neither means every host."""

    name: str | None = None
    network: Network | None = None
    port: int | None = None

    def covers(self, host: str, port: int | None) -> bool:
        """Whether the entry exempts a canonical host and its port."""
        if self.port not in {None, port}:
            return False
        if self.network:
            address = address_of(host)
            return address is not None and address.version == self.network.version and address in self.network
        return self.name is None or host == self.name or host.endswith(f".{self.name}")


@dataclass(frozen=True)
class Proxies:
    """The proxies of an environment.

    ``urls`` are by scheme, and under ``all`` for the others. ``exemptions`` go to no proxy. ``ignored`` are
    the entries of ``NO_PROXY`` that mean nothing. The URLs may hold passwords.
    """

    urls: Mapping[str, str] = field(default_factory=dict, repr=False)
    exemptions: tuple[Exemption, ...] = ()
    ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Self:
        """Read ``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY`` and ``NO_PROXY``; lower case wins."""
        found = {scheme: _variable(environ, f"{scheme}_proxy") for scheme in (*PORTS, "all")}
        urls = {scheme: url if "://" in url else f"http://{url}" for scheme, url in found.items() if url}
        entries = re.split(r"[\s,;]+", _variable(environ, "no_proxy"))
        read = {entry: _exemption(entry) for entry in entries if entry}
        return cls(
            urls,
            tuple(exemption for exemption in read.values() if exemption),
            tuple(entry for entry, exemption in read.items() if exemption is None),
        )

    def for_url(self, url: str) -> str | None:
        """The URL of the proxy for a request, or None when it goes straight to its host."""
        try:
            parts = urlsplit(url)
            host, port = canonical_host(parts.hostname or ""), parts.port or PORTS.get(parts.scheme)
        except ValueError:
            return None  # whoever connects will say what is wrong with it
        if any(exemption.covers(host, port) for exemption in self.exemptions):
            return None
        return self.urls.get(parts.scheme) or self.urls.get("all")

    def http_for_url(self, url: str) -> str | None:
        """The same for a client that speaks HTTP to its proxy; raises ``ConfigError`` for another proxy."""
        proxy = self.for_url(url)
        if proxy is not None and not _is_http(proxy):
            raise invalid_proxy()
        return proxy

    @property
    def notes(self) -> Iterator[str]:
        """A sentence on the entries that are ignored."""
        if self.ignored:
            shown = ", ".join(ascii(shorten(entry, MAX_SHOWN_CHARS)) for entry in self.ignored[:MAX_SHOWN])
            more = f" and {len(self.ignored) - MAX_SHOWN} more" if len(self.ignored) > MAX_SHOWN else ""
            yield (
                f"NO_PROXY: what is no name, address or range of addresses is ignored: {shown}{more}. "
                "Write entries such as example.com, 10.0.0.0/8 or [fd00::]/8."
            )


def invalid_proxy() -> ConfigError:
    """The error for a proxy that cannot be used."""
    return ConfigError(
        "invalid_proxy",
        "A proxy variable of the environment holds an address that cannot be used.",
        "Give HTTP_PROXY, HTTPS_PROXY and ALL_PROXY as http:// or https:// URLs.",
    )


def _variable(environ: Mapping[str, str], name: str) -> str:
    """An empty variable in lower case takes the one in capitals out."""
    return environ.get(name, environ.get(name.upper(), "")).strip()


def _is_http(proxy: str) -> bool:
    try:
        parts = urlsplit(proxy)
        return parts.scheme in PORTS and bool(canonical_host(parts.hostname or "")) and parts.port != 0
    except ValueError:
        return False


def _exemption(entry: str) -> Exemption | None:
    """What an entry means, or None for nothing."""
    entry = entry.partition("://")[2].rstrip("/") if "://" in entry else entry
    if entry == "*":
        return Exemption()
    try:
        return _range(entry) if "/" in entry else _host(entry)
    except ValueError:
        return None


def _range(entry: str) -> Exemption:
    address, _, prefix = entry.partition("/")
    bare = address.removeprefix("[").removesuffix("]")
    network = ipaddress.ip_network(f"{bare}/{prefix.rstrip(']')}", strict=False)
    return Exemption(network=_unmapped(network))


def _unmapped(network: Network) -> Network:
    """``::ffff:10.0.0.0/104`` are addresses of IPv4, as they are in a canonical host."""
    first = getattr(network.network_address, "ipv4_mapped", None)
    if first is None or network.prefixlen < MAPPED_BITS:
        return network
    return ipaddress.ip_network(f"{first}/{network.prefixlen - MAPPED_BITS}")


def _host(entry: str) -> Exemption:
    if entry.count(":") > 1 and not entry.startswith("["):
        entry = f"[{entry}]"  # an IPv6 address without brackets has no port
    found = _HOST_AND_PORT.fullmatch(entry)
    if not found:
        raise ValueError("not a host")
    host = canonical_host(found["bracketed"] or re.sub(r"\A\*?\.+", "", found["plain"] or ""))
    port = int(found["port"]) if found["port"] else None
    if address := address_of(host):
        return Exemption(network=ipaddress.ip_network(address), port=port)
    return Exemption(name=host, port=port)
