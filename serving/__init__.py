"""Everything around the agent: engine, gateway, command line, API."""
