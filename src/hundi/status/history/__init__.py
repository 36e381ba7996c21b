"""The past 90 days of a component: each day's worst state, and the share of available time."""
