"""What an operator's monitoring reads.

Counters of every process of a machine, and what is overdue.
"""
