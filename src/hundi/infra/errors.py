"""The error that only the operator can fix; the command line prints it without a traceback."""


class OperatorError(Exception):
    """The setup prevents Hundi from working; the text says what is wrong and what helps."""
