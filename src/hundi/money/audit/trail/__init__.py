"""The audit's look at the trail: each entry is chained to the one before, and every decision is in it."""
