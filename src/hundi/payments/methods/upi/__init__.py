"""What merchants do with UPI themselves.

Orders that are paid by one QR, and checks of addresses.
"""
