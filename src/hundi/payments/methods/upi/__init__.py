"""What merchants do with UPI themselves: orders that are paid by one QR, and checks of addresses."""
