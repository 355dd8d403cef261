"""Measures the cold start of the action, from `docker run` to the first byte that the model receives.

Each run uses a new container. The event is workflow_dispatch, so PyGithub asks for the pull request before
the model is asked. One server on loopback acts as GitHub and as the model. The script prints the median and
the fastest run in seconds. Run it on an idle machine: `python -m benchmarks.cold_start [RUNS]`.
"""

import argparse
import json
import statistics
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from examples.build_sample import NUMBER, build
from tests.container.engine import ROOT, TAG, Engine, find_engine
from tests.container.runner import Job
from tests.container.sample_job import github_answers, lay_out

MESSAGE = {"role": "assistant", "content": json.dumps({"summary": "s", "findings": [], "notes": []})}
REPLY = {"id": "r", "model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}]}


class Server(ThreadingHTTPServer):
    """Answers GET as GitHub and POST as the model, and records when each was first asked."""

    def __init__(self, answers: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.first: dict[str, float] = {}
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    """Records the time before it reads a request's body."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.server.first.setdefault("github", time.perf_counter())
        self.answer(self.server.answers[self.path.partition("?")[0]])

    def do_POST(self) -> None:
        self.server.first.setdefault("model", time.perf_counter())
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(REPLY)

    def answer(self, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


def review(job: Job, server: Server) -> tuple[float, float]:
    """Seconds from the engine's start to the first byte at GitHub and at the model."""
    server.first.clear()
    inputs = {"endpoint": f"{server.url}/v1/chat/completions", "api-key": "benchmark-key", "model": "m"}
    inputs |= {"pull-request": str(NUMBER), "github-token": "benchmark-token"}
    environ = {"GITHUB_API_URL": server.url, "GITHUB_EVENT_NAME": "workflow_dispatch"}
    started = time.perf_counter()
    step = job.run(inputs, network="host", environ=environ)
    if step.exit_code != 0:
        raise SystemExit(step.log)
    return server.first["github"] - started, server.first["model"] - started


def nothing(engine: Engine) -> float:
    """Seconds for a container of the same image that does nothing."""
    started = time.perf_counter()
    engine.run("run", "--rm", "--network", "host", "--entrypoint", "/bin/true", TAG)
    return time.perf_counter() - started


def main(runs: int) -> None:
    engine = find_engine(ROOT / "Dockerfile")
    engine.build(ROOT, TAG)
    with tempfile.TemporaryDirectory() as folder:
        sample = build(Path(folder) / "sample")
        server = Server(github_answers(sample))
        jobs = [lay_out(engine, TAG, sample, Path(folder) / f"work{number}") for number in range(runs + 1)]
        nothing(engine)
        review(jobs.pop(), server)  # the first run fills the machine's file cache
        measured = [(*review(job, server), nothing(engine)) for job in jobs]
    print(f"of {runs} runs                                 median  fastest")
    labels = (
        "start to GitHub's first byte",
        "start to the model's first byte",
        "a container that does nothing",
    )
    for label, column in zip(labels, zip(*measured, strict=True), strict=True):
        print(f"{label:40} {statistics.median(column):8.3f} {min(column):8.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", type=int, nargs="?", default=11, help="how often to measure (default 11)")
    main(parser.parse_args().runs)
