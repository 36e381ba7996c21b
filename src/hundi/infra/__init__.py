"""What the features stand on: settings, database, processes, secrets, calls to the outside, logs, schedules."""
