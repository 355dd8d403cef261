"""Where the endpoint's name leads, when only a lookup tells whether plain http stays in a private network."""

import ipaddress
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

from pr_review.config.parsers import has_bare_name
from pr_review.config.settings import Settings
from pr_review.domain.hosts import is_private_address
from pr_review.errors import ConfigError


def look_up_addresses(host: str) -> list[str]:
    """The addresses of a name, as the system's resolver gives them."""
    return [str(place[4][0]) for place in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]


def check_endpoint_host(settings: Settings, look_up: Callable[[str], list[str]] = look_up_addresses) -> None:
    """Look up a name without a dot, such as a service container's, before a key goes to it in clear text.

    The search domains of the network decide what such a name is. ``look_up`` gives the addresses of a name
    or raises ``OSError``. Raises ``ConfigError``.
    """
    if settings.endpoint.startswith("http:") and has_bare_name(settings.endpoint):
        host = urlsplit(settings.endpoint).hostname or ""
        try:
            addresses = look_up(host)
        except (OSError, UnicodeError):
            raise _refused("cannot be looked up") from None
        if not all(is_private_address(ipaddress.ip_address(address)) for address in addresses):
            raise _refused("does not lead into a private network")


def _refused(why: str) -> ConfigError:
    return ConfigError(
        "endpoint_not_private",
        f"The endpoint's host is a name without a dot that {why}, so plain http is refused.",
        "Check the name, use https, or give a private address or a name that ends in .internal or .local.",
    )
