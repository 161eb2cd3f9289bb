"""What an estimator says to bad input: a sentence, under the name scikit-learn expects."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wordrbm.errors import WordRBMError


class Refused(WordRBMError, ValueError):  # noqa: N818 - it is named as it is told
    """Bad input to an estimator; scikit-learn's machinery knows it as a `ValueError`."""


class NoNumbers(Refused, TypeError):  # noqa: N818
    """Values that are no numbers at all; scikit-learn expects a `TypeError` there."""


@contextmanager
def as_it_was_if_refused(estimator: Any) -> Iterator[None]:
    """Give an estimator back what it held before a call that came to nothing."""
    before = dict(vars(estimator))
    try:
        yield
    except Exception:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
