"""Oscar's checkout with the plugin's way to pay."""
