"""The audit of fees and invoices: fees follow the price plan, invoices the fees."""
