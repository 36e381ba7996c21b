"""Measures a running gateway over HTTP."""
