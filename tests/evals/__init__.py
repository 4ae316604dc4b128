"""Tests of `evals`."""
