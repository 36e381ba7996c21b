"""Completions of an authorised card payment: capture or void."""
