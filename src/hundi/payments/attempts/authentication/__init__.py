"""Authentication of customers at their bank's page, and the charge that follows."""
