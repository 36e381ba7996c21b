"""Tests of notifications."""
