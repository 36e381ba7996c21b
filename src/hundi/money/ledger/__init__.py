"""The books of every merchant: accounts, append-only postings between them, and balances."""
