"""The interfaces merchants and banks call: one file an interface, one pipeline before them, one table of answers behind them."""
