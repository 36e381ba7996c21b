"""What acquirers can do, and what each call is given and answers."""
