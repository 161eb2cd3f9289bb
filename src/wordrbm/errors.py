"""The one exception a user may see: a sentence that says what was found and what to do."""


class WordRBMError(Exception):
    """Bad input or a failed write, told in one sentence. The command line exits with 2."""
