"""Rules that allow, challenge, hold or block a try to pay, before the acquirer is called."""
