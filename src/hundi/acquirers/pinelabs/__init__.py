"""The connector of Pine Labs Online."""
