"""What a customer proves at their bank's page, and the charge that follows."""
