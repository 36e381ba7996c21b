"""The names of payees on the pages of banks."""
