"""The vector of an out-of-vocabulary word, expected from its context.

    E[D[x] | text] = sum_k P(x = k | text) D[k]

with the P of `text_model.py`: the mean of the vectors of all words, weighted by how well each would
fit at the blank. `<unk>` has a vector of its own, D[0], which does not depend on the context.
"""

import numpy as np
from jaxtyping import Float64

from wordrbm.errors import WordRBMError
from wordrbm.inference.inputs import TextWithBlanks, ids_with_blanks, tokens_with_blanks
from wordrbm.inference.precision import BLANK
from wordrbm.inference.text_model import TextModel, softmax, word_log_scores
from wordrbm.inference.whitening import expected_row
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary


def infer_vector(
    rbm: WordRepRBM, vocabulary: Vocabulary, text: TextWithBlanks
) -> Float64[np.ndarray, " d"]:
    """Return the expected row of D of the word at the one blank of a text."""
    ids = ids_with_blanks(vocabulary, tokens_with_blanks(text), rbm.positions)
    blanks = np.flatnonzero(ids == BLANK)
    if blanks.size != 1:
        raise WordRBMError(
            f"The text has {blanks.size} blanks and a vector can be expected for one; fill the "
            "others first."
        )
    model = TextModel.from_rbm(rbm, vocabulary)
    scores = word_log_scores(model, ids[None], int(blanks[0]))[0]
    return expected_row(rbm.D, softmax(scores))
