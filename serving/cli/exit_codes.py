"""What the exit code of a command means; the help text of `knowledge-agent` says the same."""

EXIT_ANSWERED, EXIT_ERROR, EXIT_REFUSED, EXIT_DEGRADED = 0, 1, 3, 4
EXIT_INTERRUPTED = 130
