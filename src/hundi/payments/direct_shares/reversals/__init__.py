"""Parts of direct shares that are taken back after refunds."""
