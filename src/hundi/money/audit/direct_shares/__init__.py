"""The checks of shares that acquirers settle themselves."""
