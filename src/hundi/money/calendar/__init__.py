"""The days on which banks settle, for each centre."""
