"""A pytest plugin for `make container-test`: the image, built once per session, and jobs on a runner."""

from collections.abc import Callable

import pytest
from examples.build_sample import Sample, build
from tests.container.engine import ROOT, TAG, Engine, UnavailableError, find_engine
from tests.container.runner import Job
from tests.container.sample_job import lay_out
from tests.container.sizes import Sizes, measure

LAST_LINE = pytest.StashKey[str]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the image's size, or the reason why there is none."""
    if LAST_LINE in config.stash:
        terminalreporter.write_line(config.stash[LAST_LINE])


@pytest.fixture(scope="session")
def engine(pytestconfig: pytest.Config) -> Engine:
    try:
        return find_engine(ROOT / "Dockerfile")
    except UnavailableError as reason:
        pytestconfig.stash[LAST_LINE] = f"container tests skipped: {reason}"
        pytest.skip("no container engine")


@pytest.fixture(scope="session")
def image(engine: Engine) -> str:
    """The tag of the image, built from the checkout."""
    engine.build(ROOT, TAG)
    return TAG


@pytest.fixture(scope="session")
def sizes(engine: Engine, image: str, pytestconfig: pytest.Config) -> Sizes:
    measured = measure(engine, image)
    pytestconfig.stash[LAST_LINE] = f"image: {measured.total / 1e6:.1f} MB unpacked ({engine})"
    return measured


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return build(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="session")
def new_job(
    engine: Engine, image: str, sample: Sample, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], Job]:
    """Create a fresh job for the sample."""
    return lambda: lay_out(engine, image, sample, tmp_path_factory.mktemp("work"))
