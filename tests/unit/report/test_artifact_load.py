"""An artifact may come from anywhere: what it costs to read one is bounded."""

import json
import tracemalloc

import pytest

from pr_review.errors import ConfigError
from pr_review.report.artifact.build import build, to_json
from pr_review.report.artifact.load import MAX_ARTIFACT_BYTES, MAX_NUMBER, MAX_VALUES, load

MIB = 1024 * 1024


@pytest.fixture
def artifact(outcomes):
    return json.loads(to_json(build(outcomes.rich)))


def refusal(data):
    with pytest.raises(ConfigError) as caught:
        load(data)
    assert caught.value.code == "invalid_artifact"
    return caught.value.detail


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_bytes_are_bounded(artifact, over):
    data = json.dumps(artifact).encode()
    data += b" " * (MAX_ARTIFACT_BYTES + over - len(data))
    if over > 0:
        assert "larger than 16 MiB" in refusal(data)
    else:
        load(data)


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_values_are_bounded(artifact, over):
    data = json.dumps(artifact | {"more": []}).encode()
    values = sum(map(data.count, (b",", b"[", b"{")))
    data = data.replace(b'"more": []', b'"more": [0%s]' % (b",0" * (MAX_VALUES + over - values)))
    if over > 0:
        assert "more than 500,000 values" in refusal(data)
    else:
        load(data)


@pytest.mark.parametrize("number", [MAX_NUMBER + 1, -MAX_NUMBER - 1, 10**400])
@pytest.mark.parametrize(
    "put",
    [
        lambda report, number: report["findings"][0].update(line=abs(number)),
        lambda report, number: report["findings"][0].update(end_line=number),
        lambda report, number: report["coverage"]["files"][0].update(additions=number),
        lambda report, number: report["pull_request"].update(number=number),
        lambda report, number: report["trace"][0]["tool_calls"][0]["arguments"].update(a=[{"b": number}]),
    ],
)
def test_numbers_are_bounded(artifact, put, number):
    put(artifact, number)
    assert "number" in refusal(json.dumps(artifact).encode()) or number == 10**400


def test_the_largest_numbers_are_read(artifact):
    artifact["findings"][0] |= {"line": MAX_NUMBER, "end_line": MAX_NUMBER}
    load(json.dumps(artifact).encode())


@pytest.mark.parametrize(
    "unit",
    [
        lambda report: report.update(notes=[""] * 490_000),
        lambda report: report.update(findings=report["findings"] * (8_000 // len(report["findings"]))),
    ],
    ids=["notes", "findings"],
)
def test_memory_is_bounded(artifact, unit):
    """The values that pass take a fraction of what 64 MiB of them took."""
    unit(artifact)
    data = json.dumps(artifact, separators=(",", ":")).encode()
    tracemalloc.start()
    try:
        load(data)
        assert tracemalloc.get_traced_memory()[1] < 256 * MIB
    finally:
        tracemalloc.stop()
