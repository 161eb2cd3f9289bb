"""The vector of a word that is not in the vocabulary, expected from where it stands.

    E[D[x] | text] = sum_k P(x = k | text) D[k]

with the P of `context.py`: the mean of the vectors of all words, by how well each would
stand in its place. `<unk>` has a vector of its own, D[0], which knows nothing of the context.
"""

import numpy as np
from jaxtyping import Float64

from wordrbm.errors import WordRBMError
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.using.context import normalised, word_log_weights
from wordrbm.using.fill import checked_text
from wordrbm.using.markov import TextModel
from wordrbm.using.precise import BLANK, expected_row
from wordrbm.using.words import TextWithBlanks, words_and_blanks


def infer_vector(
    rbm: WordRepRBM, vocabulary: Vocabulary, text: TextWithBlanks
) -> Float64[np.ndarray, " d"]:
    """The expected row of D of the word in the place of the one blank of a text."""
    ids = checked_text(rbm, vocabulary, words_and_blanks(text))
    blanks = np.flatnonzero(ids == BLANK)
    if blanks.size != 1:
        raise WordRBMError(
            f"The text has {blanks.size} blanks and a vector can be expected for one; fill the "
            "others first."
        )
    model = TextModel.of(rbm, vocabulary)
    return expected_row(rbm.D, normalised(word_log_weights(model, ids[None], int(blanks[0]))[0]))
