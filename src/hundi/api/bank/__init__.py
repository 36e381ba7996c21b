"""The calls that acquirers send us."""
