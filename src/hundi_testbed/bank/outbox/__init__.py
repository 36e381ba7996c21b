"""Callbacks that wait to be sent."""
