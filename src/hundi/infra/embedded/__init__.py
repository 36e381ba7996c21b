"""The PostgreSQL that runs beside the gateway: its server, folder, roles, backups and standbys."""
