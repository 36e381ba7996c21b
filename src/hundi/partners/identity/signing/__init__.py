"""The key that documents are signed with."""
