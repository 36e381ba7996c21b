"""Payment links made from one file: one for each of several customers, in one act."""
