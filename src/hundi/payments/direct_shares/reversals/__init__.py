"""Parts of direct shares that acquirers take back after refunds."""
