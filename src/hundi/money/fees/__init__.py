"""What payments cost their merchants: price plans, fees, and GST on them."""
