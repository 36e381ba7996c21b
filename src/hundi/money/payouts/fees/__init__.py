"""What providers take for payouts: told, booked, and listed for their invoices."""
