"""What merchants and their accountants are given on paper: extracts, settlement reports, invoices."""
