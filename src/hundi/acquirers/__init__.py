"""Acquirers: one narrow port, one package an acquirer, and the suite each of them passes."""
