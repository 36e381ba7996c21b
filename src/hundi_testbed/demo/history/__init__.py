"""Weeks of business for a demo, by the gateway's own actions and a bank in the past."""
