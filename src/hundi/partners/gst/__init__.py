"""GST: registrations by number, and tax calculations."""
