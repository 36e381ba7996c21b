"""How the files of a bank account or an acquirer are read: kept, and proposed for the next one."""
