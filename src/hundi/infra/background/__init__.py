"""What is done later: the due-loop, rows that fall due, and schedules."""
