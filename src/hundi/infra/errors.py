"""The error that only the operator can fix; the command line prints it without a traceback."""


class OperatorError(Exception):
    """Hundi cannot work as it was set up; the text says what is wrong and what helps."""
