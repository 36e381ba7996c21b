"""Reports for merchants and their accountants: extracts, settlement reports, invoices."""
