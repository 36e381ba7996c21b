"""BillDesk."""
