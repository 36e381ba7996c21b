"""A simulated bank, switch and shop, a demo, a simulation and measurements: all that tries Hundi out."""
