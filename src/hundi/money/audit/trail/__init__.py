"""The audit of the trail: its entries are chained, and every decision has one."""
