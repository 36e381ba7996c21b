"""Finding payments by whatever somebody on the telephone knows of them; also those in the archive."""
