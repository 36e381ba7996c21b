"""Rules that allow, challenge, hold or block a try to pay, before the acquirer is called.

Rules are documents with versions, the operator's and the merchant's, which each process keeps
compiled. Facts are checked in memory. Counts are kept by the minute or hour in rows of the
merchant, under keyed hashes; one function of the database adds the try and returns the counts, so a
check costs one round trip, or none where no rule counts. `replay` tries a document on the past.
"""
