"""Evidence: which documents are taken, and how they are kept."""
