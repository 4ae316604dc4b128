"""One module for each kind of thing under /v1."""
