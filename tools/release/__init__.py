"""Builds a release from the last commit, and proves it: `make release`."""
