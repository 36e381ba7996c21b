"""The audit of the archive, and how the other checks see what is in it."""
