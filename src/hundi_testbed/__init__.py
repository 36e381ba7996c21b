"""What Hundi is tried with: a simulated bank, switch and shop, a demo, a simulation, a bench."""
