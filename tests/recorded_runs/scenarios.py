"""Every scenario: to be recorded before and after a change that must not be seen from outside."""

from tests.recorded_runs.commands import COMMANDS
from tests.recorded_runs.model_turns import MODEL_TURNS
from tests.recorded_runs.server_failures import SERVER_FAILURES
from tests.recorded_runs.settings_and_events import SETTINGS_AND_EVENTS

SCENARIOS = (*COMMANDS, *MODEL_TURNS, *SERVER_FAILURES, *SETTINGS_AND_EVENTS)
