"""What the service remembers: one code for SQLite and PostgreSQL."""
