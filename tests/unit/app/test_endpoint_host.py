"""Plain http to a name without a dot: only a lookup tells where it leads."""

import pytest

from pr_review.app.endpoint_host import check_endpoint_host, look_up_addresses
from pr_review.config.settings import Settings
from pr_review.errors import ConfigError


def settings(endpoint):
    return Settings.from_mapping({"INPUT_ENDPOINT": f"{endpoint}/v1/chat/completions"})


def never(host):
    raise AssertionError(f"{host} was looked up")


@pytest.mark.parametrize(
    "addresses", [["172.18.0.3"], ["127.0.0.1", "::1"], ["fd00::2"], ["::ffff:10.0.0.1"]]
)
def test_a_name_that_leads_into_a_private_network_is_fine(addresses):
    check_endpoint_host(settings("http://ollama:11434"), lambda _: addresses)


@pytest.mark.parametrize(
    "addresses",
    [
        ["93.184.216.34"],
        ["10.0.0.1", "93.184.216.34"],
        ["169.254.169.254"],
        ["2606:4700::1"],
        ["::ffff:8.8.8.8"],
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(addresses):
    """A search domain, or a top-level domain with an address of its own."""
    with pytest.raises(ConfigError, match="does not lead into a private network") as caught:
        check_endpoint_host(settings("http://ai"), lambda _: addresses)
    assert caught.value.code == "endpoint_not_private"


def test_a_name_that_nobody_knows_is_refused():
    with pytest.raises(ConfigError, match="cannot be looked up"):
        check_endpoint_host(settings("http://no-such-name-9c1f"))


@pytest.mark.parametrize(
    "endpoint",
    ["https://ollama", "http://localhost", "http://127.1", "http://llm.internal", "https://example.com"],
)
def test_nothing_else_is_looked_up(endpoint):
    check_endpoint_host(settings(endpoint), never)


def test_the_resolver_of_the_system_is_asked():
    assert {"127.0.0.1", "::1"} & {*look_up_addresses("localhost")}
