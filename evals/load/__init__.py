"""Traffic on a running service."""
