"""The verbs of operators and merchants' people, each declared once.

A verb says its parameters, who may, what the trail says and its words. The command line and the
console are made from it (decision 70).
"""
