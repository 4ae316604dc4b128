"""Suites that gate a release, and measurements of the agent itself."""
