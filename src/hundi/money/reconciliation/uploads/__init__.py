"""Statements in the browser: uploaded, read with a mapping as a trial, then imported."""
