"""Pure values every feature shares: money, identifiers, clock, refusals, states."""
