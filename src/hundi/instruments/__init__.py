"""Rules of payment instruments: cards, UPI addresses, QR codes, instalments and limits."""
