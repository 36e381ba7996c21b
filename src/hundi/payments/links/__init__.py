"""Payment links: an amount that is paid at its own address, at once or in parts."""
