"""Array types and the letters that name their axes.

One letter means one thing everywhere: in a signature, in a comment, in a test.

    B  windows in a batch        n  positions in a window
    K  words in the vocabulary   d  numbers in a word vector
    H  hidden units              r  numbers in a row that scores a word (d or H)
"""

from typing import TypeAlias

import numpy as np
from jaxtyping import Float, Int, Shaped, UInt64

Array: TypeAlias = Shaped[np.ndarray, "..."]  # any array at all
Words: TypeAlias = Int[np.ndarray, "B n"]  # word ids: v
Hidden: TypeAlias = Float[np.ndarray, "B H"]  # hidden states, or their means: h
Contexts: TypeAlias = Float[np.ndarray, "B n r"]  # of each position: s_i(w) = b + context . row
Scores: TypeAlias = Float[np.ndarray, "B n"]  # one log-score per position
PerWindow: TypeAlias = Float[np.ndarray, " B"]  # one number per window
Probability: TypeAlias = Float[np.ndarray, " K"]  # one probability per word: q
Stream: TypeAlias = UInt64[np.ndarray, "4"]  # the state of one random stream
