"""UPI for merchants: orders paid by one QR, and checks of addresses."""
