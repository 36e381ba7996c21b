"""Letters to people of the console: who is told what, and what each of them chose."""
