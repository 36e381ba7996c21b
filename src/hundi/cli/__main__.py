"""Run the command line as `python -m hundi.cli`: what the supervisor starts its parts by."""

from hundi.cli import main

main()
