"""An RBM for any table of categories, as a scikit-learn transformer.

The model is the word-representation RBM [Dahl 2012, section 6.1] over the values of all columns
(`table.py`): a vector ``D[w]`` for every value of every column, and ``U[i]`` for the weights of
column i. Proposals for a column come from that column alone, so a column is a softmax over its own
values, and an update costs the same for ten values as for a million.
"""

from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from wordrbm.errors import InvalidInput
from wordrbm.estimators import parameters
from wordrbm.estimators.errors import restore_on_error, warn_if_chains_lag
from wordrbm.estimators.table import CategoryCounts, column_log_probability, sizes_of, table_of
from wordrbm.inference.precision import evaluate_in_double
from wordrbm.models import WordRepRBM
from wordrbm.run.in_memory import InMemoryTrainer, rows_as_windows, writable_state
from wordrbm.shapes import Hidden, Words
from wordrbm.training import TrainingSettings

# Values are checked one by one in `table.py`, where the message can name the column.
UNCHECKED = {"dtype": None, "ensure_all_finite": False}


class CategoricalRBM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Restricted Boltzmann machine over columns of categories ``0 .. K_i - 1``.

    Fitted: `rbm_` (D, U, b, c), `offsets_` (the rows of D of column i are ``offsets_[i]`` to
    ``offsets_[i + 1]``), `n_categories_`, `n_features_in_`, `n_iter_`. See docs/estimators.md.
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        dimension: int = 20,
        n_categories: Any = None,
        n_iter: int | None = None,
        batch_size: int = 128,
        chains: int = 128,
        mh_steps: int = 100,
        word_rate: float = 0.05,
        hidden_rate: float = 0.1,
        momentum: float = 0.9,
        l2: float = 3e-4,
        shards: int = 2,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        parameters.store(self, locals())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train a fresh model for `n_iter` epochs, at learning rates that fall to zero.

        Without `n_iter`, ten epochs or as many as make 3,000 updates.
        """
        with restore_on_error(self):
            v = self._initialise(X)
            schedule = parameters.schedule(self, len(v))
            self._train(v, schedule)
        self.n_iter_ = schedule.epochs
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Train on these rows for one epoch at constant rates; the first call fixes the columns."""
        with restore_on_error(self):
            v = self._continue(X) if hasattr(self, "rbm_") else self._initialise(X)
        self._train(v, parameters.single_epoch(self, len(v)), **parameters.CONSTANT_RATES)
        self.n_iter_ += 1
        return self

    def transform(self, X: Any) -> Hidden:
        """``P(h_j = 1 | row)``: a feature vector for every row, (N, n_components), float32."""
        check_is_fitted(self)
        mean = evaluate_in_double(WordRepRBM.hidden_mean, self.rbm_, self._words(X))
        return mean.astype(np.float32)

    def score_samples(self, X: Any) -> Float[np.ndarray, " N"]:
        """``-F(row)``: the log-probability of every row, up to one constant of the model."""
        check_is_fitted(self)
        return -evaluate_in_double(WordRepRBM.free_energy, self.rbm_, self._words(X))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of ``log P(value | rest of its row)``, exact, so models can be compared.

        It costs O(K_i H) for every value: for tables of small columns, or few rows.
        """
        check_is_fitted(self)
        v, values = self._words(X), []
        for i, column in enumerate(v.T):
            log_p = column_log_probability(self.rbm_, v, i, self._column_words(i))
            first = self.offsets_[i]
            values.append([x[word - first] for word, x in zip(column, log_p, strict=True)])
        return float(np.mean(values))

    def conditional(self, X: Any, column: int | str) -> Float[np.ndarray, "N k"]:
        """``P(value | rest of the row)`` over the values of a column, exact, at O(K_i H) a row.

        What X holds in that column is ignored: it may be missing.
        """
        check_is_fitted(self)
        i = self._column_number(column)
        X = np.array(validate_data(self, X, reset=False, **UNCHECKED))
        X[:, i] = 0
        log_p = column_log_probability(self.rbm_, self._table.words(X), i, self._column_words(i))
        return np.exp(np.stack(list(log_p)))

    def sample(
        self, n_samples: int = 1, *, sweeps: int = 100, random_state: Any = None
    ) -> Int[np.ndarray, "N n"]:
        """Sample rows from the model, by this many sweeps from the persistent chains."""
        check_is_fitted(self)
        count = parameters.check_count("n_samples", n_samples)
        sweeps = parameters.check_count("sweeps", sweeps)
        seed = parameters.seed_from(random_state)
        return self._table.values(self._trainer.sample(self._state.chains, count, sweeps, seed))

    def _initialise(self, X: Any) -> Words:
        """Fix the columns and make a fresh model; returns the rows as words."""
        parameters.thread_count(self.n_jobs)  # a bad value is refused before anything is trained
        X = validate_data(self, X, reset=True, **UNCHECKED)
        names = getattr(self, "feature_names_in_", range(X.shape[1]))
        self._table = table_of(X, tuple(map(repr, names)), self.n_categories)
        v = self._table.words(X)
        self._seed = parameters.seed_from(self.random_state)
        settings = self._single_epoch_settings(v)
        self._counts = CategoryCounts(self._table)
        self._counts.add(v)
        self._trainer = InMemoryTrainer.for_table(self._counts.frequencies(), settings)
        self._state = self._trainer.initial_state(rows_as_windows(v), settings)
        self.n_categories_ = np.array(self._table.sizes)
        self.offsets_, self.rbm_, self.n_iter_ = self._table.offsets, self._trainer.rbm, 0
        return v

    def _continue(self, X: Any) -> Words:
        """More rows as words; proposals follow the frequencies of all rows so far."""
        parameters.thread_count(self.n_jobs)
        self._check_unchanged()
        v = self._words(X)
        self._trainer, self._state = self._trainer.writable(), writable_state(self._state)
        self.rbm_ = self._trainer.rbm
        new = self._counts.add(v)
        # A new value starts at its frequency, as the values of the first rows did.
        self.rbm_.b[new] = self._counts.log_frequency(new)
        if self._counts.needs_refresh():
            self._trainer = InMemoryTrainer.for_table(
                self._counts.frequencies(), self._single_epoch_settings(v), self.rbm_
            )
        return v

    def _single_epoch_settings(self, v: Words) -> TrainingSettings:
        schedule = parameters.single_epoch(self, len(v))
        return parameters.training_settings(self, self._seed, schedule, window=v.shape[1])

    def _check_unchanged(self) -> None:
        """Refuse parameters that ask for another model than the one that is being trained."""
        values, sizes = parameters.validated(self), self._table.sizes
        n_categories = sizes if self.n_categories is None else self.n_categories
        pairs = {
            "n_components": (self.rbm_.c.size, values["hidden"]),
            "dimension": (self.rbm_.D.shape[1], values["dimension"]),
            "n_categories": (sizes, sizes_of(len(sizes), n_categories)),
            "chains": (len(self._state.chains.v), parameters.chain_count(self)),
        }
        changes = [f"{name} from {x} to {y}" for name, (x, y) in pairs.items() if x != y]
        if changes:
            raise InvalidInput(
                f"The parameters changed after the first call ({', '.join(changes)}); set them "
                "back, or call fit to train a fresh model."
            )

    def _train(self, v: Words, schedule: parameters.Schedule, **changes: Any) -> None:
        settings = parameters.training_settings(
            self, self._seed, schedule, first_step=self._state.step, window=v.shape[1], **changes
        )
        print_progress = parameters.progress_printer(self, schedule)
        threads = parameters.thread_count(self.n_jobs)
        windows = rows_as_windows(v)
        for state, progress in self._trainer.train(windows, settings, self._state, threads):
            self._state = state
            print_progress(progress)
        warn_if_chains_lag(self.rbm_, v, self._state.chains.v)

    def _words(self, X: Any) -> Words:
        return self._table.words(validate_data(self, X, reset=False, **UNCHECKED))

    def _column_words(self, i: int) -> slice:
        """The words of column i: its rows of D."""
        return slice(int(self.offsets_[i]), int(self.offsets_[i + 1]))

    def _column_number(self, column: int | str) -> int:
        names = list(getattr(self, "feature_names_in_", ()))
        if isinstance(column, str) and column in names:
            return names.index(column)
        is_whole = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if is_whole and 0 <= int(column) < self.n_features_in_:
            return int(column)
        raise InvalidInput(
            f"There is no column {column!r}; give its name, or a number from 0 to "
            f"{self.n_features_in_ - 1}."
        )

    @property
    def _n_features_out(self) -> int:
        return int(self.rbm_.c.size)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = []
        return tags
