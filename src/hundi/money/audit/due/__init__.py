"""The audit of due times: none is later than our schedules allow."""
