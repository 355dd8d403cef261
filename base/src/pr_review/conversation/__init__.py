"""One bounded conversation with a model: validate a whole round, run its tools, ask again."""
