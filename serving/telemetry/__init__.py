"""What the owner can watch: traces, metrics and logs. Their vendors stay in this package."""
