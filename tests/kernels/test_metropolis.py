import numpy as np

from wordrbm.kernels.metropolis import score_current


def test_words_in_place_are_weighed_by_score_and_proposal(rng, wordrep, softmax):
    for model in (wordrep, softmax):
        v, h = rng.integers(5, size=(9, 2)), rng.integers(0, 2, (9, 3)).astype(float)
        log_q, current_weight = rng.normal(size=5), np.empty((9, 2))
        context = np.ascontiguousarray(model.word_context(h).transpose(1, 0, 2))
        score_current(
            model.word_table, model.word_bias, log_q, model.table_index, context, v, current_weight
        )
        np.testing.assert_allclose(current_weight, model.word_score(v, h) - log_q[v])
