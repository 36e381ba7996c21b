"""Tells the kind of a client by one recorded message of it."""
