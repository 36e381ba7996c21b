"""Giving money back: what the merchant asks for, what an order could not keep, what came too late."""
