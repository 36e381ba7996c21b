"""Payment links: an amount that is paid at an address of its own, at once or in parts."""
