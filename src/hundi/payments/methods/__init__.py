"""Ways to pay, a room each: what is particular to how one method begins and ends."""
