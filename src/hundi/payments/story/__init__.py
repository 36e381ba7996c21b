"""The whole story of one payment, for people: read from every room that has a part in it."""
