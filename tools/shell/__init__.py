"""What shells and manuals say about the commands, written from the commands themselves."""
