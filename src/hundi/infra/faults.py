"""What only the operator can put right: the command line shows the text without a traceback."""


class OperatorError(Exception):
    """Hundi cannot work as it was set up; the text says what is wrong and what helps."""
