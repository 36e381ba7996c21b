"""Erasure of what is kept of a customer, but for what the law keeps."""
