"""Background work: the due-loop, rows that fall due, and schedules.

A look finds due rows across merchants, without a lock. A claim moves the due time of one merchant's
rows to the end of a lease, if they are still due: so only one of two workers gets a row, and the
rows of a killed worker fall due again. Each row is worked on separately, within a limit for the
worker and one for each peer. A claim is undone if its inquiry could not be sent.
"""
