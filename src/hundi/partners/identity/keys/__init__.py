"""Keys that sign identity documents."""
