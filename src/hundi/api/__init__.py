"""The interfaces that merchants, partners and banks call: one file each, and one way in for all."""
