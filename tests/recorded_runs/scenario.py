"""What a scenario is made of: a repository, an event, settings, answers of the model server, a signal.

Scenarios are data. Texts of a scenario may hold these words, which are replaced once the places are known:
``{model}``, ``{closed}`` and ``{git}`` are base URLs: of the model server, of a port where nobody listens, of
the git server. ``{workspace}`` is the checkout and ``{moment}`` the file that a hanging git makes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from signal import Signals

from tests.conftest import Answer, ChatServer
from tests.loopback.github import GitHub

Content = str | bytes
KEY = "sk-recorded-run-key"
OFFLINE = {"provider": "offline"}
MODEL = {"endpoint": "{model}/v1/chat/completions", "model": "m-1", "api-key": KEY}
# An answer that nobody scripted is an error that the program does not ask again for.
UNSCRIPTED = ChatServer.json({"error": {"message": "unscripted request"}}, status=418)


@dataclass(frozen=True)
class Files:
    """A repository made here: files of the base branch, then what the pull request changes (None: removes).

    ``links`` are symbolic links that the pull request commits.
    """

    base: Mapping[str, Content]
    head: Mapping[str, Content | None]
    links: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sample:
    """The sample repository of ``examples/``, with its own event."""


@dataclass(frozen=True)
class Remote:
    """Pull request 7 of ``octo/demo``, checked out from a loopback GitHub with depth 1."""


@dataclass(frozen=True)
class Nothing:
    """An empty folder."""


Repository = Files | Sample | Remote | Nothing


@dataclass(frozen=True)
class Event:
    """The event: ``pull`` are fields of its pull request that differ, ``raw`` is the whole file as it stands.

    ``fork``: the head is in another repository. ``missing``: there is no file.
    """

    name: str = "pull_request"
    pull: Mapping[str, object] = field(default_factory=dict)
    sender: str = "octocat"
    fork: bool = False
    raw: bytes | None = None
    missing: bool = False


@dataclass(frozen=True)
class Cancel:
    """A signal at a moment that is the same in each run.

    ``requests``: when the model server has so many. ``module``: right after the import of this module.
    ``git``: when the git of ``Scenario.git`` has made ``{moment}``.
    """

    number: Signals
    requests: int = 0
    module: str = ""
    git: bool = False


@dataclass(frozen=True)
class Scenario:
    """One run of the program.

    ``inputs`` become ``INPUT_*`` variables; ``environ`` are further variables, None takes one away.
    ``answers`` are sent in order, then ``then`` for ever. ``github`` changes what GitHub's API knows.
    ``loose`` are untracked files in the folder where the program starts. ``git`` maps a subcommand to what a
    shell does in its place. ``timed``: durations differ from run to run. ``slow``: it waits for
    real, so it starts early.
    """

    name: str
    command: tuple[str, ...] = ("action",)
    repository: Repository = field(default_factory=Nothing)
    event: Event = field(default_factory=Event)
    inputs: Mapping[str, str] = field(default_factory=dict)
    environ: Mapping[str, str | None] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    then: Answer = UNSCRIPTED
    github: Callable[[GitHub], None] | None = None
    loose: Mapping[str, Content] = field(default_factory=dict)
    git: Mapping[str, str] = field(default_factory=dict)
    cancel: Cancel | None = None
    stdin: bytes = b""
    timed: bool = True
    slow: bool = False

    @property
    def is_action(self) -> bool:
        """Whether GitHub's runner starts it."""
        return self.command[0] == "action"
