"""An RBM for any table of categories, with scikit-learn's habits.

The model is the word-representation RBM [Dahl 2012, section 6.1] over the values of all columns
(`table.py`): a vector ``D[w]`` for every value of every column, and ``U[i]`` for what column i
does with it. Proposals for a column come from that column alone, so a column is a softmax over
its own values, and an update costs the same for ten values as for a million.
"""

from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from wordrbm.estimators.conditional import column_log_probability, value_log_probability
from wordrbm.estimators.dreaming import dream
from wordrbm.estimators.fixed import refuse_other_sizes
from wordrbm.estimators.following import warn_if_lost
from wordrbm.estimators.learning import renewed, rows_as_windows, table_learner
from wordrbm.estimators.parameters import (
    CONSTANT_RATES,
    Plan,
    once,
    plan,
    seed_of,
    settings_of,
    teller,
    threads_of,
    whole_number,
)
from wordrbm.estimators.refused import Refused, as_it_was_if_refused
from wordrbm.estimators.sightings import Sightings
from wordrbm.estimators.table import table_of
from wordrbm.estimators.thawing import thawed_learner, thawed_state
from wordrbm.inference.precision import evaluate_in_double
from wordrbm.models import WordRepRBM
from wordrbm.shapes import Hidden, Words

# Values are looked at one by one in `table.py`, where the sentence can name the column.
ANYTHING = {"dtype": None, "ensure_all_finite": False}


class CategoricalRBM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Restricted Boltzmann machine over columns of categories ``0 .. K_i - 1``.

    Learnt: `rbm_` (D, U, b, c), `offsets_` (the rows of D of column i are ``offsets_[i]`` to
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
        self.n_components = n_components
        self.dimension = dimension
        self.n_categories = n_categories
        self.n_iter = n_iter
        self.batch_size = batch_size
        self.chains = chains
        self.mh_steps = mh_steps
        self.word_rate = word_rate
        self.hidden_rate = hidden_rate
        self.momentum = momentum
        self.l2 = l2
        self.shards = shards
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn afresh from all rows, `n_iter` times over, at rates that fall to zero.

        Without `n_iter`, ten times over or as often as it takes for 3,000 updates.
        """
        with as_it_was_if_refused(self):
            v = self._begin(X)
            planned = plan(self, len(v))
            self._learn(v, planned)
        self.n_iter_ = planned.passes
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on from these rows, once over, at constant rates; the first call fixes the columns."""
        with as_it_was_if_refused(self):
            v = self._go_on(X) if hasattr(self, "rbm_") else self._begin(X)
        self._learn(v, once(self, len(v)), **CONSTANT_RATES)
        self.n_iter_ += 1
        return self

    def transform(self, X: Any) -> Hidden:
        """``P(h_j = 1 | row)``: a feature vector for every row, (N, n_components), float32."""
        check_is_fitted(self)
        return evaluate_in_double(WordRepRBM.hidden_mean, self.rbm_, self._words(X)).astype(
            np.float32
        )

    def score_samples(self, X: Any) -> Float[np.ndarray, " N"]:
        """``-F(row)``: the log-probability of every row, up to one constant of the model."""
        check_is_fitted(self)
        return -evaluate_in_double(WordRepRBM.free_energy, self.rbm_, self._words(X))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of ``log P(value | rest of its row)``, exact, so models can be compared.

        It costs O(K_i H) for every value: for tables of small columns, or few rows.
        """
        check_is_fitted(self)
        v = self._words(X)
        parts = [value_log_probability(self.rbm_, v, i, self._part(i)) for i in range(v.shape[1])]
        return float(np.mean(parts))

    def conditional(self, X: Any, column: int | str) -> Float[np.ndarray, "N k"]:
        """``P(value | rest of the row)`` over the values of a column, exact, at O(K_i H) a row.

        What X holds in that column is not looked at: it may be missing.
        """
        check_is_fitted(self)
        i = self._column(column)
        X = np.array(validate_data(self, X, reset=False, **ANYTHING))
        X[:, i] = 0
        v = self._table.words(X)
        return np.exp(column_log_probability(self.rbm_, v, i, self._part(i)))

    def sample(
        self, n_samples: int = 1, *, sweeps: int = 100, random_state: Any = None
    ) -> Int[np.ndarray, "N n"]:
        """Rows dreamt by the model: the persistent chains, moved on by so many sweeps."""
        check_is_fitted(self)
        rows, times = whole_number("n_samples", n_samples), whole_number("sweeps", sweeps)
        v = dream(self._learner, self._state.chains, rows, times, seed_of(random_state))
        return self._table.values(v)

    def _begin(self, X: Any) -> Words:
        """Fix the columns and make a fresh model; the rows as words."""
        threads_of(self.n_jobs)  # a bad one is told before anything is learnt
        X = validate_data(self, X, reset=True, **ANYTHING)
        names = getattr(self, "feature_names_in_", range(X.shape[1]))
        self._table = table_of(X, tuple(map(repr, names)), self.n_categories)
        v = self._table.words(X)
        self._seed = seed_of(self.random_state)
        settings = settings_of(self, self._seed, once(self, len(v)), window=v.shape[1])
        self._sightings = Sightings(self._table)
        self._sightings.add(v)
        self._learner = table_learner(self._sightings.frequencies(), settings)
        self._state = self._learner.begin(rows_as_windows(v), settings)
        self.n_categories_ = np.array(self._table.sizes)
        self.offsets_, self.rbm_, self.n_iter_ = self._table.offsets, self._learner.rbm, 0
        return v

    def _go_on(self, X: Any) -> Words:
        """More rows as words; proposals follow what has been read by now."""
        threads_of(self.n_jobs)
        refuse_other_sizes(self, self._table, self._state)
        v = self._words(X)
        self._thaw()
        new = self._sightings.add(v)
        self.rbm_.b[new] = self._sightings.log_share(new)  # as the values of the first rows began
        if self._sightings.have_doubled():
            settings = settings_of(self, self._seed, once(self, len(v)), window=v.shape[1])
            self._learner = renewed(self.rbm_, self._sightings.frequencies(), settings)
        return v

    def _thaw(self) -> None:
        self._learner, self._state = thawed_learner(self._learner), thawed_state(self._state)
        self._sightings.thaw()
        self.rbm_ = self._learner.rbm

    def _learn(self, v: Words, plan: Plan, **changes: Any) -> None:
        settings = settings_of(
            self, self._seed, plan, begun=self._state.step, window=v.shape[1], **changes
        )
        tell = teller(self, plan)
        threads = threads_of(self.n_jobs)
        windows = rows_as_windows(v)
        for state, progress in self._learner.learn(windows, settings, self._state, threads):
            self._state = state
            tell(progress)
        warn_if_lost(self.rbm_, v, self._state.chains.v)

    def _words(self, X: Any) -> Words:
        return self._table.words(validate_data(self, X, reset=False, **ANYTHING))

    def _part(self, i: int) -> slice:
        """The rows of D that belong to column i."""
        return slice(int(self.offsets_[i]), int(self.offsets_[i + 1]))

    def _column(self, column: int | str) -> int:
        names = list(getattr(self, "feature_names_in_", ()))
        if isinstance(column, str) and column in names:
            return names.index(column)
        whole = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if whole and 0 <= int(column) < self.n_features_in_:
            return int(column)
        raise Refused(
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
