"""Settings, database, processes, secrets, outbound calls, logs and schedules for all features."""
