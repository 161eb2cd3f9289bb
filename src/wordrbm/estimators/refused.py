"""What an estimator says to bad input: a sentence, under the name scikit-learn expects."""

from wordrbm.errors import WordRBMError


class Refused(WordRBMError, ValueError):  # noqa: N818 - it is named as it is told
    """Bad input to an estimator; scikit-learn's machinery knows it as a `ValueError`."""


class NoNumbers(Refused, TypeError):  # noqa: N818
    """Values that are no numbers at all; scikit-learn expects a `TypeError` there."""
