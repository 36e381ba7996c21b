"""The interfaces that partners call: one file each."""
