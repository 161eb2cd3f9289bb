"""The exceptions a user may see: each is a sentence that says what was found and what to do."""


class WordRBMError(Exception):
    """Bad input or a failed write, in one sentence. The command line exits with 2."""


class InvalidInput(WordRBMError, ValueError):  # noqa: N818 - the name says what is at fault
    """Bad arguments to an estimator or to inference, also known as a `ValueError`."""


class Stopped(WordRBMError):  # noqa: N818 - an outcome, not a fault
    """A stop was requested; the message says what was saved and how to continue."""
