"""Only `make container-test` collects these tests: it loads their fixtures, which need a container engine."""

import pytest


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return None if config.pluginmanager.has_plugin("tests.container.fixtures") else True
