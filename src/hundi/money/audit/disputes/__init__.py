"""The audit of disputes."""
