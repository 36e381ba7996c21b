"""Weeks of business for a demo, by the gateway's own actions and the bank at a clock of the past."""
