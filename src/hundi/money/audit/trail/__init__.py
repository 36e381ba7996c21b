"""The audit's look at the trail.

Each entry is chained to the one before, and every decision is in it.
"""
