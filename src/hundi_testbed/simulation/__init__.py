"""The simulation: gateway, bank and merchants in one process, in time that a seed decides."""
