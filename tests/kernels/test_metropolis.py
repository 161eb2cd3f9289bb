import numpy as np

from wordrbm.kernels.metropolis import WordWeights, current_weights


def test_words_in_place_are_weighed_by_score_and_proposal(rng, wordrep, softmax):
    for model in (wordrep, softmax):
        v, h = rng.integers(5, size=(9, 2)), rng.integers(0, 2, (9, 3)).astype(float)
        log_q = rng.normal(size=5)
        words = WordWeights(model.word_table, model.word_bias, log_q, model.table_index)
        context = np.ascontiguousarray(model.word_context(h).transpose(1, 0, 2))
        expected = model.word_score(v, h) - log_q[v]
        np.testing.assert_allclose(current_weights(words, context, v), expected)
