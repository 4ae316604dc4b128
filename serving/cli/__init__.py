"""The command `knowledge-agent`."""
