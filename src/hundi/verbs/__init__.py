"""The verbs of operators and merchants' people, each declared once.

A verb declares its parameters, its permission, its entry in the trail and its words. The command
line and the console are made from it (decision 70).
"""
