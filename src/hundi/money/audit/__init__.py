"""The audit: an independent check of the books against themselves and against the bank."""
