"""The Actions runner: workflow commands, outputs, the step summary, and files in the workspace."""
