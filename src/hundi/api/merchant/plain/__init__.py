"""The plain interface: JSON under `/v1` with bearer keys, for who has no kit.

Its actions, scopes and refusals are those of the interfaces beside it (decision 0081).
"""
