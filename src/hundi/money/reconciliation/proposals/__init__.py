"""Corrections of the books that one person proposes and another decides."""
