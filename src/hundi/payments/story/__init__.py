"""The whole story of one payment, for people: read from every room that had to do with it."""
