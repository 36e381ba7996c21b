"""SMS by Exotel, as its published interface says."""
