"""Merchants: who they are, their keys and settings, and how their requests are let in."""
