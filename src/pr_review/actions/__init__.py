"""The Actions runner: workflow commands, outputs, the step summary, and the output directory."""
