"""Bugs that people really write, each with the test that must catch it.

Every entry is planted into a copy of the package by `test_planted_bugs.py`: in this file of
src/wordrbm, this text becomes that text, and this test has to fail.
"""

from typing import NamedTuple


class Bug(NamedTuple):
    name: str
    file: str
    text: str
    becomes: str
    caught_by: str


OPERATORS = "tests/sampling/test_operators.py"
COLUMNS = "tests/sampling/test_columns.py"
ESTIMATORS = "tests/estimators"
CONTRACT = "tests/models/test_contract.py"
GRADIENT = "tests/training/test_gradient.py"
OPTIMIZER = "tests/training/test_optimizer.py"
TRAINER = "tests/training/test_trainer.py"
WALK = f"{OPERATORS}::test_the_compiled_walk_takes_the_referees_decisions"
RUN = "tests/tasks/test_training_run.py"
FILL = "tests/using/test_fill.py"
POOLED = f"{OPERATORS}::test_the_compiled_pooled_walk_takes_the_referees_decisions"

BUGS = [
    Bug("no q ratio in the walk", "kernels/walk.py",
        "offered = score(table, bias, context, m, i, proposed) - log_q[proposed]",
        "offered = score(table, bias, context, m, i, proposed)", WALK),
    Bug("q ratio upside down", "sampling/metropolis.py",
        "model.word_score(v, h) - log_q[v]", "model.word_score(v, h) + log_q[v]",
        f"{OPERATORS}::test_detailed_balance_holds_for_every_pair_of_words"),
    Bug("every proposal accepted", "kernels/walk.py",
        "if offered >= log_weight or", "if True or", WALK),
    Bug("no q in the weights of the pool", "sampling/pooled.py",
        "pool] - self.log_q[pool])", "pool])", POOLED),
    Bug("positions of a window share a pool", "sampling/pooled.py",
        "        offered, weight =", "        pool[1:] = pool[0]\n        offered, weight =",
        f"{OPERATORS}::test_the_positions_of_a_window_move_independently"),
    Bug("a pool entry visited twice", "kernels/walk.py",
        "(bits >> np.uint64(32)) | np.uint64(1)", "(bits >> np.uint64(32))", POOLED),
    Bug("off-by-one alias", "kernels/alias.py",
        "else alias[column]", "else alias[column - 1]",
        "tests/sampling/test_alias.py::test_draws_are_the_referees"),
    Bug("alias keeps the wrong share", "kernels/alias.py",
        "keep[low], alias[low] = height[low], high",
        "keep[low], alias[low] = 1.0 - height[low], high",
        "tests/sampling/test_alias.py::test_a_large_skewed_table_is_read_back_to_rounding"),
    Bug("hidden states of before the move in the negative phase", "training/gradient.py",
        "both = np.concatenate([v, moved])", "both = np.concatenate([v, chains.v])",
        f"{GRADIENT}::test_gradient_is_read_minus_dreamt_at_the_moved_words"),
    Bug("chains carried without their move", "training/gradient.py",
        "ShardResult(gradient, Chains(moved,", "ShardResult(gradient, Chains(chains.v,",
        f"{GRADIENT}::test_chains_carry_the_moved_words_and_hidden_states_drawn_at_them"),
    Bug("the dream adds instead of taking away", "training/gradient.py",
        "weight[B:] = -B / M", "weight[B:] = B / M", f"{GRADIENT}::test_phases_balance"),
    Bug("more chains than windows outweigh the data", "training/gradient.py",
        "weight[B:] = -B / M", "weight[B:] = -1.0", f"{GRADIENT}::test_phases_balance"),
    Bug("shards share one random stream", "training/trainer.py",
        "seed_stream(settings.seed, state.step + 1, shard)",
        "seed_stream(settings.seed, state.step + 1, 0)",
        f"{TRAINER}::test_every_shard_draws_from_its_own_stream"),
    Bug("every update repeats the same draws", "training/trainer.py",
        "seed_stream(settings.seed, state.step + 1, shard)",
        "seed_stream(settings.seed, 1, shard)", f"{TRAINER}::test_every_update_draws_afresh"),
    Bug("bias counted twice in the free energy", "models/base.py",
        "return -bias - np.logaddexp", "return -2 * bias - np.logaddexp",
        f"{CONTRACT}::test_free_energy_sums_over_hidden_vectors"),
    Bug("bias left out of the exact conditional", "models/base.py",
        " + self.word_bias[:, None, :]", "",
        f"{CONTRACT}::test_all_word_scores_normalise_to_the_conditional"),
    Bug("hidden bias left out", "models/wordrep.py",
        "@ self.stacked.T + self.c", "@ self.stacked.T",
        f"{CONTRACT}::test_hidden_mean_is_the_conditional_of_the_energy"),
    Bug("positions in reverse", "models/wordrep.py",
        "return self.D[v].reshape", "return self.D[v[:, ::-1]].reshape",
        f"{CONTRACT}::test_gradient_is_the_slope_of_the_exact_log_likelihood"),
    Bug("hidden biases forgotten in log Z", "models/exact.py",
        "np.logaddexp.reduce(h @ model.c + per_position", "np.logaddexp.reduce(per_position",
        f"{CONTRACT}::test_both_roads_to_log_z_agree_with_the_referee"),
    Bug("a cloze that has seen the word", "models/cloze.py",
        ".astype(np.float64) - own", ".astype(np.float64)",
        f"{CONTRACT}::test_cloze_is_the_conditional_by_enumeration"),
    Bug("penalty on rows that were not used", "training/optimizer.py",
        "        add_rows(model",
        "        model.table(name)[...] *= number(1 - rates.word * rates.l2)\n"
        "        add_rows(model",
        f"{OPTIMIZER}::test_rows_that_no_gradient_names_keep_their_bits"),
    Bug("all of log q copied in every update", "sampling/pooled.py",
        "self.log_q[v]", "self.log_q.astype(context.dtype)[v]",
        "tests/training/test_free_of_k.py::test_an_update_allocates_nothing_that_grows_with_k"),
    Bug("the sum over the batch where the mean is meant", "training/optimizer.py",
        "total = total / B", "total = total / 1",
        f"{OPTIMIZER}::test_a_step_without_penalty_is_the_dense_step"),
    Bug("momentum forgotten", "training/optimizer.py",
        "speed *= rates.momentum", "speed *= 0.0",
        f"{OPTIMIZER}::test_momentum_carries_the_last_step_on"),
    Bug("a resume that forgets the velocity", "artifacts/checkpoint.py",
        'speed[...] = found[f"velocity.{name}"]', "speed[...] = 0.0",
        "tests/tasks/test_training_run.py::test_a_stopped_and_resumed_run_ends_with_the_same_bytes"),
    Bug("windows that cross stories", "text/windows.py",
        "runs[:, 1] - runs[:, 0] - n + 1", "runs[:, 1] - runs[:, 0] - n + 2",
        "tests/text/test_windows.py"),
    Bug("a window that holds the blank left out", "using/context.py",
        "min(blank, T - n) + 1)", "min(blank, T - n))", FILL),
    Bug("a blank that counts as the unknown word", "using/precise.py",
        "there = (words != BLANK)", "there = (words < words.size)", FILL),
    Bug("windows that miss the last blank forgotten", "using/marginals.py",
        "+ elsewhere[:, None]", "", FILL),
    Bug("the bias of the word before", "models/cloze.py",
        "logits + bias[words]", "logits + np.roll(bias, 1)[words]", FILL),
    Bug("sums of blanks in the wrong places", "using/marginals.py",
        "enumerate(before.T)", "enumerate(before.T[::-1])", FILL),
    Bug("an expected vector by weights that do not sum to one", "using/context.py",
        "return probability / probability.sum(axis=-1, keepdims=True)", "return probability",
        "tests/using/test_unknown.py::test_the_expected_vector_is_the_mean_by_enumeration"),
    Bug("a cost divided by n at the ends of a sentence", "using/scoring.py",
        "return total / held", "return total / n",
        "tests/using/test_scoring.py::test_scores_and_costs_are_the_referees"),
    Bug("values of the column before", "estimators/table.py",
        "(X.astype(np.int64) + self.offsets[:-1])", "(X.astype(np.int64) + self.offsets[1:])",
        f"{ESTIMATORS}/test_table.py::test_a_value_is_the_word_at_its_place_in_its_column"),
    Bug("proposals of another column", "sampling/columns.py",
        "np.int32(self.offsets[i])", "np.int32(self.offsets[0])",
        f"{COLUMNS}::test_the_pooled_walk_of_columns_takes_the_referees_decisions"),
    Bug("the q of another column in the walk", "sampling/metropolis.py",
        "self.log_q[words]", "self.log_q[: words.stop - words.start]",
        f"{COLUMNS}::test_the_walk_of_a_column_takes_the_referees_decisions"),
    Bug("a value expected in every column", "estimators/learning.py",
        "np.concatenate(columns) / len(columns)", "np.concatenate(columns)",
        f"{ESTIMATORS}/test_learning.py::test_a_value_is_expected_as_often_as_its_column_shows_it"),
    Bug("a column that is given itself", "estimators/conditional.py",
        "rest[:, i] = BLANK", "rest[:, i] = v[:, i]",
        f"{ESTIMATORS}/test_conditional.py::test_a_column_given_the_rest_is_the_referees"),
    Bug("a late value begins as one never seen", "estimators/categorical.py",
        "self.rbm_.b[new] = ", "_ = ",
        f"{ESTIMATORS}/test_sightings.py::test_a_value_that_comes_late_begins_at_its_frequency"),
    Bug("a score cut short is forgotten", "tasks/training_run.py",
        "if self._is_scored(step) and not is_noted(self.out, step):", "if False:",
        f"{RUN}::test_a_score_that_was_given_up_is_taken_first_on_resuming"),
    Bug("the highest names kept, readable or not", "artifacts/checkpoint.py",
        "if path <= newest][-KEPT:]", "][-KEPT:]",
        f"{RUN}::test_unreadable_checkpoints_of_later_updates_do_not_push_out_a_good_one"),
    Bug("notes of lost updates kept", "tasks/training_run.py",
        "rewind_notes(self.out, begun.state.step)", "rewind_notes(self.out, 10**9)",
        f"{RUN}::test_a_damaged_newest_checkpoint_gives_way_to_the_one_before"),
]  # fmt: skip
