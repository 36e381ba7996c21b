"""Looks at the mail relay: is it there, does it take us, is its certificate right?"""
