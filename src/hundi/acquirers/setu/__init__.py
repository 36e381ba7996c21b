"""The connector of Setu: checks of bank accounts by penny drop."""
