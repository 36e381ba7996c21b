"""The interfaces that merchants call: one file each."""
