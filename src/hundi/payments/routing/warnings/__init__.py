"""Warnings about a routing plan."""
