"""The audit of the archive, and the way for other checks to read it."""
