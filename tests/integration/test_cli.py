"""The command line as a person uses it."""

import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pr_review import __version__

ROOT = Path(__file__).parents[2]
CALL = [("c1", "inspect_git_diff", '{"paths":["README.md"]}')]
CHECK_KEY = "sk-check-key"


@pytest.fixture
def program(tmp_path):
    """Run ``pr-review`` as a process, with nothing of this machine's environment but PATH."""

    def run(*arguments, stdin=None):
        command = [sys.executable, "-m", "pr_review", *arguments]
        environ = {"PATH": os.environ["PATH"]}
        return subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, input=stdin)

    return run


def test_help_teaches_every_command_and_exit_code(cli):
    done = cli("--help")
    assert done.returncode == 0
    for word in ("examples:", "exit codes:", "OPENCODE_API_KEY"):
        assert word in done.stdout
    for command in ("action", "local", "check", "render", "schema"):
        assert cli(command, "--help").returncode == 0


def test_version(program):
    assert program("--version").stdout == f"pr-review {__version__}\n"


def test_the_process_passes_on_input_output_and_exit_code(program):
    done = program("render", "-", stdin="{}")
    assert (done.returncode, done.stderr) == (2, "")
    assert "invalid_artifact" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "usage"),
    [
        ([], "usage: pr-review [-h]"),
        (["nothing"], "usage: pr-review [-h]"),
        (["local", "--nothing"], "usage: pr-review local [-h]"),
        (["render"], "usage: pr-review render [-h]"),
    ],
)
def test_wrong_usage_ends_with_2(cli, arguments, usage):
    """With the usage of the command that was meant."""
    done = cli(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert usage in done.stderr


def test_help_of_local_shows_words_and_defaults(cli):
    text = " ".join(cli("local", "--help").stdout.split())
    assert "--provider {chat-completions,offline} Who reviews" in text
    assert "(default: chat-completions)" in text
    assert "Folder for the reports, below the current folder. (default: pr-review-report)" in text
    assert "`" not in text


def test_schema_is_the_committed_one(cli):
    assert cli("schema").stdout == (ROOT / "docs" / "review.schema.json").read_text(encoding="utf-8")


def test_local_prints_the_review_and_leaves_the_artifact_here(cli, make_repo):
    repo = make_repo({"a.py": "one = 1\n"}, {"a.py": "one = 1\n\n\ndef f(x=[]):\n    return x\n"})
    done = cli("local", "--repo", str(repo.path), "--provider", "offline")
    assert done.returncode == 0
    assert "Mutable default argument" in done.stdout
    assert "a.py:4" in done.stdout
    report = json.loads((cli.folder / "pr-review-report" / "review.json").read_text(encoding="utf-8"))
    assert report["conclusion"] == "findings"
    assert "pr-review-report/review.json" in done.stdout
    rendered = cli("render", "pr-review-report/review.json")
    assert rendered.stdout.strip() in done.stdout
    markdown = cli("render", "pr-review-report/review.json", "--format", "md").stdout
    assert markdown == (cli.folder / "pr-review-report" / "review.md").read_text(encoding="utf-8")
    strict = cli("local", "--repo", str(repo.path), "--provider", "offline", "--fail-on", "medium")
    assert strict.returncode == 1


@pytest.mark.parametrize("place", ["environment", ".env"])
def test_a_number_of_reviews_at_once_is_noted_wherever_it_stands(cli, make_repo, place):
    repo = make_repo({"a.py": "one = 1\n"}, {"a.py": "one = 2\n"})
    environ = {"MAX_CONCURRENT_REVIEWS": "3"} if place == "environment" else {}
    if place == ".env":
        (cli.folder / ".env").write_text("MAX_CONCURRENT_REVIEWS=3\n", encoding="utf-8")
    done = cli("local", "--repo", str(repo.path), "--provider", "offline", **environ)
    report = json.loads((cli.folder / "pr-review-report" / "review.json").read_text(encoding="utf-8"))
    assert done.returncode == 0
    assert [note for note in report["run_notes"] if "MAX_CONCURRENT_REVIEWS has no effect" in note]
    assert "MAX_CONCURRENT_REVIEWS has no effect" in done.stdout


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"schema_version":"9"}', "\x00"])
def test_render_refuses_what_is_no_artifact(cli, content):
    done = cli("render", "-", stdin=content)
    assert done.returncode == 2
    assert "invalid_artifact" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_local_outside_a_repository_is_one_sentence(cli):
    """Said once, and in words of the command line."""
    done = cli("local", "--provider", "offline")
    assert done.returncode == 2
    assert done.stderr == ""
    assert done.stdout.count("no_repository") == 1
    assert "The folder 'cwd' is not inside a git repository" in done.stdout
    assert "--repo" in done.stdout
    assert "actions/checkout" not in done.stdout


def test_local_finds_the_repository_from_below(cli, make_repo):
    repo = make_repo({"src/a.py": "one = 1\n"}, {"src/a.py": "one = 2\n"})
    done = cli("local", "--repo", str(repo.path / "src"), "--provider", "offline")
    assert done.returncode == 0
    assert "src/a.py" in done.stdout


def test_local_takes_patterns_and_colours(cli, make_repo):
    repo = make_repo({"a.py": "one = 1\n"}, dict.fromkeys(("a.py", "b.py", "c.txt"), "one = 2\n"))
    arguments = ["local", "--repo", str(repo.path), "--provider", "offline"]
    plain = cli(*arguments, "--include", "*.py", "--include", "*.md", "--exclude", "b.*", "--exclude", "x")
    assert "3 changed files: 2 excluded, 1 reviewed." in plain.stdout
    assert "excluded      b.py  (matched by exclude (b.*))" in plain.stdout
    assert "\x1b" not in plain.stdout
    assert "\x1b[1mpr-review: " in cli(*arguments, "--color", "always").stdout
    assert "\x1b" not in cli(*arguments, "--color", "never").stdout


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colours_are_for_a_terminal_that_wants_them(cli, make_repo, no_color, coloured):
    """NO_COLOR is heard (no-color.org)."""
    repo = make_repo({"a.py": "one = 1\n"}, {"a.py": "one = 2\n"})
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "pr_review", "local", "--repo", str(repo.path), "--provider", "offline"]
    environ = {"PATH": os.environ["PATH"], "NO_COLOR": no_color}
    subprocess.run(command, cwd=cli.folder, env=environ, stdout=inner, check=True)
    os.close(inner)
    assert os.read(outer, 100).startswith(b"\x1b[1mpr-review" if coloured else b"pr-review")
    os.close(outer)


def test_local_dry_run_needs_no_key_and_names_its_file(cli, make_repo):
    """And the file does not outlive the next run."""
    repo = make_repo({"a.py": "one = 1\n"}, {"a.py": "one = 2\n"})
    arguments = ["local", "--repo", str(repo.path)]
    done = cli(*arguments, "--dry-run")
    request = cli.folder / "pr-review-report" / "request.json"
    assert done.returncode == 0
    assert done.stdout.startswith("pr-review: dry run: nothing was sent\n")
    size = request.stat().st_size
    assert f"request: pr-review-report/request.json, {size:,} bytes\n" in done.stdout
    assert "not reviewed  a.py  (dry run)" in done.stdout
    assert done.stderr == ""
    cli(*arguments, "--provider", "offline")
    assert not request.exists()


def test_action_outside_a_workflow_prints_only(cli):
    done = cli("action")
    assert done.returncode == 2
    assert "error [no_workspace]: " in done.stdout
    assert list(cli.folder.iterdir()) == []


def test_render_says_that_there_is_no_patch(cli, make_repo):
    repo = make_repo({"a.py": "one = 1\n"}, {"a.py": "one = 2\n"})
    cli("local", "--repo", str(repo.path), "--provider", "offline")
    done = cli("render", "pr-review-report/review.json", "--format", "patch")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "There are no suggestions to apply.\n"


def test_wrong_settings_are_one_sentence(cli):
    done = cli("local", "--max-rounds", "many")
    assert done.returncode == 2
    assert "error [invalid_input]: input `max-rounds` must be an integer from 1 to 100" in done.stdout
    assert "the command's options" in done.stdout


def test_check_offline(cli):
    done = cli("check", "--provider", "offline")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "settings: good",
        "provider: offline; it needs neither key nor network",
        "ruff: found",
    ]


def test_check_without_a_key(cli):
    done = cli("check")
    assert done.returncode == 2
    assert "missing_key" in done.stdout
    assert "OPENCODE_API_KEY" in done.stdout
    assert "good" not in done.stdout  # what one line says, the next must not take back


def check(cli, server, **inputs):
    """Run ``check`` against the loopback server; returns the finished process and its lines by their name."""
    given = {f"INPUT_{name.replace('_', '-').upper()}": value for name, value in inputs.items()}
    done = cli("check", OPENCODE_API_KEY=CHECK_KEY, OPENCODE_BASE_URL=server.url, **given)
    assert CHECK_KEY not in done.stdout + done.stderr
    return done, dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)


def test_check_asks_once_with_one_tool_and_tells_all(cli, chat_server):
    chat_server.add(chat_server.completion(calls=CALL))
    done, said = check(cli, chat_server)
    assert done.returncode == 0
    assert re.fullmatch(r"\d+ ms, 1 request\(s\)", said.pop("latency"))
    assert said == {
        "settings": "good",
        "endpoint": "127.0.0.1, key: given",
        "profile": "generic, since no profile belongs to this host; it accepts no deviation",
        "model": "deepseek-v4-flash, answering as 'm-1'",
        "tools": "native calls work",
        "change": "nothing",
    }
    [request] = chat_server.bodies
    assert [tool["function"]["name"] for tool in request["tools"]] == ["inspect_git_diff"]


UNKNOWN_TOOL = [("c1", "bash", "{}")]
WITHOUT_ID = [("", *CALL[0][1:])]


@pytest.mark.parametrize(
    ("answer", "code", "tools", "change"),
    [
        ({"content": "Hello!"}, 0, "offered but not called", "choose a model with reliable tool calling, or"),
        ({"calls": CALL, "finish_reason": "stop"}, 3, "not as this profile expects", "With provider-profile"),
        ({"calls": WITHOUT_ID}, 3, "not as this profile expects: A tool call has no id", "With provider-pr"),
        ({"calls": UNKNOWN_TOOL}, 3, "not as this profile expects: The model called a tool that", ""),
    ],
)
def test_check_says_what_to_change(cli, chat_server, answer, code, tools, change):
    """A turn that a review would refuse is no success."""
    chat_server.add(chat_server.completion(**answer))
    done, said = check(cli, chat_server)
    assert done.returncode == code
    assert said["tools"].startswith(tools)
    assert said["change"].startswith(change)


def test_check_names_what_a_profile_puts_right(cli, chat_server):
    chat_server.add(chat_server.completion(calls=WITHOUT_ID))
    done, said = check(cli, chat_server, provider_profile="ollama")
    assert (done.returncode, said["change"]) == (0, "nothing")
    assert said["profile"] == "ollama, as provider-profile says"
    assert said["adapted"].startswith("Put right under profile ollama: call ids that are missing")


def test_check_says_that_nothing_is_put_right_without_repairs(cli, chat_server):
    chat_server.add(chat_server.completion(calls=WITHOUT_ID))
    done, said = check(cli, chat_server, provider_profile="ollama", max_repairs="0")
    assert done.returncode == 3
    assert said["profile"] == "ollama, as provider-profile says; with max-repairs 0 it accepts no deviation"
    assert said["change"] == "With max-repairs above 0 this is accepted."


TEXT_CALL = '```json\n{"tool_calls":[{"name":"inspect_git_diff","arguments":{}}]}\n```'


def test_check_tells_a_server_without_native_tools(cli, chat_server):
    refusal = {"error": {"message": "m-1 does not support tools"}}
    chat_server.add(chat_server.json(refusal, status=400), chat_server.completion(TEXT_CALL))
    done, said = check(cli, chat_server)
    assert done.returncode == 0
    assert said["latency"].endswith("2 request(s)")
    assert said["tools"] == "called through text, since the server refuses native ones"
    assert said["change"] == "set tool-mode: text, which saves a refused request a review."
    chat_server.add(chat_server.completion(TEXT_CALL))
    done, said = check(cli, chat_server, tool_mode="text")
    assert (said["tools"], said["change"]) == ("called through text, as tool-mode says", "nothing")


def test_check_prints_no_command_of_a_server(cli, chat_server):
    """The runner obeys ``##[...]`` anywhere in a line."""
    answer = chat_server.completion(calls=CALL)
    body = answer.body.replace(b'"m-1"', rb'"##[error]x\n::error::y"')
    chat_server.add(replace(answer, body=body))
    done, said = check(cli, chat_server)
    assert "##[" not in done.stdout
    assert "\n::" not in done.stdout
    assert said["model"].startswith("deepseek-v4-flash, answering as '# #[error]x")


def test_check_names_a_wrong_key(cli, chat_server):
    chat_server.add(chat_server.json({"error": {"message": "bad sk-check-key"}}, status=401))
    done, _ = check(cli, chat_server)
    assert done.returncode == 2
    assert "provider_authentication_failed" in done.stdout


def test_dotenv_fills_what_the_environment_leaves_open(cli, chat_server):
    env = f"OPENCODE_API_KEY=sk-from-dotenv\nOPENCODE_BASE_URL={chat_server.url}\n"
    (cli.folder / ".env").write_text(env, encoding="utf-8")
    chat_server.add(chat_server.completion(calls=CALL))
    assert cli("check").returncode == 0
    assert chat_server.requests[0].headers["authorization"] == "Bearer sk-from-dotenv"


def test_dotenv_is_not_read_inside_actions(cli):
    (cli.folder / ".env").write_text("OPENCODE_API_KEY=sk-from-dotenv\n", encoding="utf-8")
    assert "missing_key" in cli("check", GITHUB_ACTIONS="true").stdout


def test_a_bug_of_ours_prints_its_traceback_with_debug_only(cli, tmp_path, make_repo):
    """A git that answers nonsense stands for what we did not foresee; exit 4, and the artifact exists."""
    repo = make_repo({"a.py": "one = 1\n"}, {"a.py": "one = 2\n"})
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "git"
    script.write_text(
        '#!/bin/sh\ncase " $* " in *" ls-tree "*) printf "nonsense\\0"; exit 0;; esac\nexec git "$@"\n'
    )
    script.chmod(0o755)
    path = os.environ["PATH"]
    script.write_text(script.read_text().replace("exec git", f'PATH="{path}" exec git'))
    arguments = ["local", "--repo", str(repo.path), "--provider", "offline"]
    quiet = cli(*arguments, PATH=f"{folder}:{path}")
    assert (quiet.returncode, "Traceback" in quiet.stdout + quiet.stderr) == (4, False)
    assert "internal_error" in quiet.stdout
    report = json.loads((cli.folder / "pr-review-report" / "review.json").read_text(encoding="utf-8"))
    assert report["error"]["code"] == "internal_error"
    for loud in (["--debug", *arguments], [*arguments, "--debug"]):
        assert "Traceback" in cli(*loud, PATH=f"{folder}:{path}").stdout
