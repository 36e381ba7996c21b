"""The settlement that is written, with its shares and postings."""
