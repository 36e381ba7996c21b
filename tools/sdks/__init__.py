"""Writes the SDKs of other languages from the table of operations, and the vectors they pass."""
