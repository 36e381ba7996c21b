"""The state of the gateway for everybody: components, their past 90 days, and announcements."""
