"""The connector of BillDesk."""
