"""The content of papers: a whole PDF, PNG or JPEG, and nothing else in the same file."""
