"""Several taggers as one: the mean of their scores.

    mean_k s_k[t, l] = sum_{a in attributes(t)} (mean_k W_k)[a, l] + sum_k x_k[t] V_k[:, l] / m

It is the product of what they find likely [Smith et al. 2005]. They know the same attributes, so it
is a chain field again, over the dense features of all.

References
    A. Smith, T. Cohn, M. Osborne. Logarithmic opinion pools for conditional random fields.
    ACL 2005.
"""

from collections.abc import Sequence

import numpy as np

from wordrbm.tasks.tagging.crf import ChainField


def together(fields: Sequence[ChainField]) -> ChainField:
    """The chain field whose scores are the mean of others', over their dense features in turn."""
    W, A = fields[0].W.copy(), fields[0].A.copy()
    for one in fields[1:]:  # one after another: they are millions of numbers
        W += one.W
        A += one.A
    m = len(fields)
    return ChainField(W / m, np.concatenate([one.V for one in fields]) / m, A / m)
