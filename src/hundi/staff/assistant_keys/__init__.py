"""Keys with which a person's assistant reads the books and proposes acts (docs/mcp.md)."""
