"""The document of a rule set."""
