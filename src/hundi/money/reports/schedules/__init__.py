"""Schedules of reports: each month that is over, on a chosen day, for people of the merchant."""
