"""Settings, wiring and the command line: the only code that reads the environment and the clock."""
