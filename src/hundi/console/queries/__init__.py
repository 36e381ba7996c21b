"""The console's SELECT statements, one file for each subject."""
