"""Requests that are done once, by the caller's own key of each."""
