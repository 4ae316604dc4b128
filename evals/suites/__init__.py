"""A module for each suite, named like it, with the suite as `SUITE`."""
