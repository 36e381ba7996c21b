"""Who is paid, as the pages of banks say it."""
