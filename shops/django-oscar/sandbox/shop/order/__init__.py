"""Oscar's orders with the plugin's refunds."""
