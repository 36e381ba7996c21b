"""What is done later: the due-loop, rows that fall due, and schedules.

A look finds what is due across merchants, without a lock. A claim moves the due time of one
merchant's rows to the end of a lease, if they still are due: so of two workers one gets a row, and
the rows of a killed worker are due again. Each row is worked on by itself, within a limit for the
worker and one for each peer. An inquiry that could not be sent gives its claim back.
"""
