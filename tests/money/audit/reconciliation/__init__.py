"""Tests of the audit of statements."""
