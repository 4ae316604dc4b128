"""Several parts together, on real HTTP, a real index and real processes."""
