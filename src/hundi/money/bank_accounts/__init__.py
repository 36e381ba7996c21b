"""Bank accounts of merchants and of their linked accounts, which money is paid out to."""
