"""What postings cost and when they are ready."""
