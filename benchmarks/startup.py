"""Measures the start-up of `pr-review local`, from process start to the first byte of the first request.

It prints medians in seconds, the ratio to `python -c "import httpx, pydantic"`, and the peak memory of one
whole review in MiB. Run it on an idle machine: `python benchmarks/startup.py [RUNS]`.
"""

import argparse
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SUMMARY = "The mean is now computed instead of the sum; nothing else changes, and the callers agree with it."
REVIEW = json.dumps({"summary": SUMMARY, "findings": [], "notes": []})
MESSAGE = {"role": "assistant", "content": REVIEW}
BODY = json.dumps(
    {"id": "r", "model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}]}
)
RESPONSE = (
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
    f"Content-Length: {len(BODY)}\r\n\r\n{BODY}"
).encode()


class Model:
    """Accepts one request at a time, records when its first byte arrived, and answers with a review."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.first_byte = 0.0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            with connection:
                connection.recv(1)
                self.first_byte = time.perf_counter()
                received = b""
                while b"\r\n\r\n" not in received:
                    received += connection.recv(65536)
                head, _, rest = received.partition(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split()[0])
                while len(rest) < length:
                    rest += connection.recv(65536)
                connection.sendall(RESPONSE)


def make_repository(path: Path) -> None:
    """A base commit and a topic commit of one small file."""
    identity = {f"GIT_{r}_{k}": "a@example.com" for r in ("AUTHOR", "COMMITTER") for k in ("NAME", "EMAIL")}
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull} | identity

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=path, env=env, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (path / "a.py").write_text("def total(rows):\n    return sum(rows)\n")
    git("add", ".")
    git("commit", "-qm", "base")
    git("checkout", "-qb", "topic")
    (path / "a.py").write_text("def total(rows):\n    return sum(rows) / len(rows)\n")
    git("commit", "-qam", "topic")


def model_environment(model: Model) -> dict[str, str]:
    """The variables of a review by this model."""
    return {
        "PATH": os.environ["PATH"],
        "OPENCODE_API_KEY": "benchmark-key",
        "OPENCODE_BASE_URL": f"http://127.0.0.1:{model.port}/v1/chat/completions",
    }


def review(model: Model, repository: Path) -> float:
    """Seconds from process start to the first byte at the model."""
    env = model_environment(model)
    command = [sys.executable, "-m", "pr_review", "local", "--repo", str(repository)]
    started = time.perf_counter()
    done = subprocess.run(command, env=env, cwd=repository.parent, check=False, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(done.stdout.decode() + done.stderr.decode())
    return model.first_byte - started


def imports() -> float:
    """Seconds for a bare process that imports the two libraries."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import httpx, pydantic"], check=True)
    return time.perf_counter() - started


def main(runs: int) -> None:
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repository"
        repository.mkdir()
        make_repository(repository)
        review(model, repository)
        imports()
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        pairs = [(review(model, repository), imports()) for _ in range(runs)]
    first_byte, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    print(f"runs                                  {runs}")
    print(f"process start to first model byte     {first_byte:.3f} s")
    print(f'python -c "import httpx, pydantic"    {bare:.3f} s')
    print(f"ratio, pair by pair                   {ratio:.2f}")
    print(f"peak memory of a review               {peak:.1f} MiB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", type=int, nargs="?", default=11, help="how often to measure (default 11)")
    main(parser.parse_args().runs)
