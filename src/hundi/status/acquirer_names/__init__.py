"""The names by which acquirers stand on the status page; an operator decides about them."""
