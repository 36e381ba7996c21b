"""What tries Hundi out: a simulated bank, switch and shop, a demo, a simulation, measurements."""
