"""OpenAI's chat completions: what a client may send, and what it gets."""
