"""What the console's screens read: statements that change nothing, one file a subject."""
