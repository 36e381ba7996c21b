"""Finding payments by whatever somebody on the telephone knows of them.

Also those in the archive.
"""
