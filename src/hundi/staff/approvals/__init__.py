"""What one person asks for and another decides (maker and checker)."""
