"""The simulation: a gateway, its bank and its merchants in one process, in time that a seed
decides.
"""
