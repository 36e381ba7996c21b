"""What is stored of the passkeys of people."""
