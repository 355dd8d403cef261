"""The only place that runs git: reads commits, never the working tree."""
