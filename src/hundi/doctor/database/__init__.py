"""The database: its server, schema, roles and clock."""
