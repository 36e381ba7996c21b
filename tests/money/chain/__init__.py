"""Tests of the chain."""
