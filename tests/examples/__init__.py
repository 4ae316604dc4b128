"""Tests of the sample handbook."""
