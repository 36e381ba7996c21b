"""Runs the command line as `python -m hundi.cli`; the supervisor starts its parts with it."""

from hundi.cli import main

main()
