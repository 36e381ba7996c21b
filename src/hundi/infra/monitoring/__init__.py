"""What an operator's monitoring reads: counters of every process of a machine, and what is overdue."""
