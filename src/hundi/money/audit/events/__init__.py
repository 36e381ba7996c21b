"""The audit of events: what happened, when, by whom, and in which order."""
