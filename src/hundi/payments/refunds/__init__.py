"""Refunds: what merchants ask for, what orders could not keep, and what came too late."""
