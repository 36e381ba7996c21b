"""The PostgreSQL beside the gateway: its server, folder, roles, backups and standbys."""
