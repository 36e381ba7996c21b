"""What merchants and their accountants are given on paper.

Extracts, settlement reports, invoices.
"""
