"""Evidence: which documents are accepted, and how they are stored."""
