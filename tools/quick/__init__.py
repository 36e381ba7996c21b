"""Runs the fast tests that a change can reach (`make quick`)."""
