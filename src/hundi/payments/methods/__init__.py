"""Ways to pay, a room each: how one method begins and ends."""
