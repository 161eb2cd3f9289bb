import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests import reference
from tests.estimators.tables import independent_score, latent, true_score
from wordrbm import CategoricalRBM
from wordrbm.errors import WordRBMError
from wordrbm.estimators.parameters import schedule, training_settings
from wordrbm.run.in_memory import InMemoryTrainer

SMALL = {
    "n_components": 3, "dimension": 4, "n_iter": 2, "batch_size": 16, "chains": 16, "mh_steps": 4
}  # fmt: skip


@parametrize_with_checks([CategoricalRBM(**SMALL)])
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def tiny():
    """A table of 2 x 3 values whose columns depend on each other, and a model of it."""
    X, _ = latent(3, 200, [2, 3], classes=2)
    model = CategoricalRBM(**{**SMALL, "n_iter": 60}, n_categories=[2, 3], random_state=1)
    return X, model.fit(X)


ROWS = np.array([[a, b] for a in range(2) for b in range(3)])


def masses(model):
    """exp(-F) of every row of the tiny table, by the referee: value x of column 1 is word 2 + x."""
    return np.array([reference.mass(model.rbm_, (a, 2 + b)) for a, b in ROWS])


def test_score_samples_are_log_probabilities_up_to_one_constant(tiny):
    _, model = tiny
    np.testing.assert_allclose(model.score_samples(ROWS), np.log(masses(model)), rtol=1e-5)


def test_features_are_the_hidden_units_of_the_referee(tiny):
    _, model = tiny
    for row, found in zip(np.add(ROWS, [0, 2]), model.transform(ROWS), strict=True):
        hiddens = np.array(reference.all_hiddens(model.rbm_))
        weight = np.exp([-reference.energy(model.rbm_, row, h) for h in hiddens])
        np.testing.assert_allclose(found, weight @ hiddens / weight.sum(), rtol=1e-5)


@pytest.mark.parametrize("column", [0, 1])
def test_the_conditional_is_a_softmax_over_its_column_alone(tiny, column):
    _, model = tiny
    table = masses(model).reshape(2, 3)
    expected = table / table.sum(axis=column, keepdims=True)
    found = model.conditional(ROWS, column)
    assert found.shape == (6, [2, 3][column])
    for (a, b), p in zip(ROWS, found, strict=True):
        np.testing.assert_allclose(p, expected[:, b] if column == 0 else expected[a], rtol=1e-5)


def test_the_score_is_the_mean_of_the_conditionals(tiny):
    X, model = tiny
    logs = [np.log(model.conditional(X, i)[np.arange(len(X)), X[:, i]]) for i in range(2)]
    assert model.score(X) == pytest.approx(np.mean(logs), rel=1e-9)


def test_sampled_rows_follow_the_models_distribution(tiny):
    _, model = tiny
    p = masses(model) / masses(model).sum()
    rows = model.sample(20_000, sweeps=30, random_state=5)
    frequency = np.bincount(rows @ [3, 1], minlength=6) / len(rows)
    chance = np.sqrt(p * (1 - p) / len(rows)).sum() / 2
    assert reference.total_variation(frequency, p) < 4 * chance


def test_a_hidden_class_behind_the_columns_is_learnt():
    sizes = [5, 8, 3, 12, 6]
    X, given = latent(1, 2300, sizes)
    rows, test = X[:2000], X[2000:]
    model = CategoricalRBM(n_categories=sizes, n_iter=50, random_state=0).fit(rows)
    truth, apart = true_score(test, given), independent_score(rows, test, sizes)
    assert (model.score(test) - apart) / (truth - apart) > 0.9


def bits(model):
    return b"".join(array.tobytes() for array in model.rbm_.parameters().values())


def test_same_bits_for_any_number_of_jobs():
    X, _ = latent(2, 100, [3, 4])
    one, two, four = (
        bits(CategoricalRBM(**SMALL, shards=4, n_jobs=jobs, random_state=7).fit(X))
        for jobs in (None, 2, 4)
    )
    assert one == two == four


def test_an_int_fixes_the_bits_and_none_does_not():
    X, _ = latent(2, 100, [3, 4])

    def fitted(state):
        return bits(CategoricalRBM(**SMALL, random_state=state).fit(X))

    assert fitted(7) == fitted(7) == fitted(np.random.RandomState(7)) != fitted(8)
    assert fitted(None) != fitted(None)


def test_partial_fit_goes_once_over_its_rows():
    X, _ = latent(2, 100, [3, 4])
    model = CategoricalRBM(**SMALL, random_state=7)
    assert model.partial_fit(X) is model
    assert model._state.step == 7  # 100 rows in batches of at most 16
    model.partial_fit(X[:20])
    assert model._state.step == 9
    assert model.n_iter_ == 2


def test_chains_and_momentum_persist_between_calls(monkeypatch):
    X, _ = latent(2, 100, [3, 4])
    model = CategoricalRBM(**SMALL, random_state=7).partial_fit(X)
    left, taken_up = model._state, []
    train = InMemoryTrainer.train

    def watched(trainer, windows, settings, state, threads):
        taken_up.append(state)
        return train(trainer, windows, settings, state, threads)

    monkeypatch.setattr(InMemoryTrainer, "train", watched)
    model.partial_fit(X[:20])
    assert taken_up == [left]
    assert left.velocity["U"].any()
    assert model._state.step > left.step


def test_partial_fit_learns_in_pieces():
    sizes = [5, 8, 3]
    X, given = latent(4, 2200, sizes)
    model = CategoricalRBM(n_components=20, dimension=8, n_categories=sizes, random_state=0)
    for _ in range(30):
        for first in range(0, 2000, 500):
            model.partial_fit(X[first : first + 500])
    test = X[2000:]
    apart = independent_score(X[:2000], test, sizes)
    assert (model.score(test) - apart) / (true_score(test, given) - apart) > 0.6


def test_a_pass_visits_every_row():
    """Each of 32 rows has a value of its own: one pass names them all."""
    X = np.arange(32)[:, None]
    model = CategoricalRBM(**SMALL, random_state=1).partial_fit(X)
    before = model.rbm_.D.copy()
    model.partial_fit(X)
    assert np.all((before != model.rbm_.D).any(axis=1))


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        (0.5, "column 1 holds 0.5 in row 2"),
        (-1, "Negative values in data: column 1 holds -1 in row 2"),
        (np.nan, "column 1 holds NaN in row 2"),
        (np.inf, "column 1 holds inf in row 2"),
        (7, "column 1 holds 7 in row 2 where a whole number from 0 to 3 was expected"),
    ],
)
def test_a_value_that_is_no_category_is_named(bad, found):
    X = np.array([[0, 1], [1, 3], [1, 2]], float)
    model = CategoricalRBM(**SMALL).fit(X)
    X[2, 1] = bad
    for method in (model.transform, model.partial_fit, model.score_samples):
        with pytest.raises(WordRBMError, match=found) as caught:
            method(X)
        assert isinstance(caught.value, ValueError)
        assert "\n" not in str(caught.value)


def test_the_frames_own_names_are_in_the_sentence():
    frame = pd.DataFrame({"colour": [0, 1], "town": [1, 0]})
    model = CategoricalRBM(**SMALL).fit(frame)
    with pytest.raises(WordRBMError, match="column 'town' holds 9 in row 1"):
        model.transform(pd.DataFrame({"colour": [0, 1], "town": [1, 9]}))
    assert model.conditional(frame, "town").shape == (2, 2)
    assert list(model.get_feature_names_out()) == [f"categoricalrbm{j}" for j in range(3)]


@pytest.mark.parametrize(
    "asked", [0, [2], [2, -1], "many", 1.5, [2**31, 5], [2, None], [[1, 2], [3]], 4 + 0j]
)
def test_categories_that_cannot_be_are_refused(asked):
    with pytest.raises(WordRBMError, match="cannot have n_categories"):
        CategoricalRBM(**SMALL, n_categories=asked).fit([[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_components", 0), ("dimension", 2.5), ("n_iter", 0), ("word_rate", -1), ("n_jobs", 0),
     ("dimension", None), ("shards", True)],
)  # fmt: skip
def test_a_parameter_out_of_bounds_is_named(name, value):
    with pytest.raises(WordRBMError, match=f"The parameter {name} is {value!r}; "):
        CategoricalRBM(**{**SMALL, name: value}).fit([[0, 1], [1, 0]])


def test_numbers_of_numpy_are_numbers():
    model = CategoricalRBM(n_components=np.int64(3), n_iter=np.int32(2), word_rate=np.float32(0.1))
    assert model.fit([[0, 1], [1, 0]]).transform([[0, 1]]).shape == (1, 3)


def test_no_sample_and_no_such_column_are_refused(tiny):
    _, model = tiny
    for rows, sweeps in ((0, 1), ("3", 1), (2.5, 1), (True, 1), (1, 1.5)):
        with pytest.raises(WordRBMError, match="give a whole number of at least 1"):
            model.sample(rows, sweeps=sweeps)
    for column in (2, -1, "town", 0.5, True):
        with pytest.raises(WordRBMError, match="There is no column"):
            model.conditional(ROWS, column)
    with pytest.raises(NotFittedError):
        CategoricalRBM().sample()


def test_the_column_asked_for_may_be_missing(tiny):
    _, model = tiny
    missing = ROWS.astype(float)
    missing[:, 1] = np.nan
    np.testing.assert_array_equal(model.conditional(missing, 1), model.conditional(ROWS, 1))
    for nothing in (None, pd.NA):
        missing = ROWS.astype(object)
        missing[:, 1] = nothing
        np.testing.assert_array_equal(model.conditional(missing, 1), model.conditional(ROWS, 1))


@pytest.mark.parametrize(
    "bad",
    [
        [["a", "b"], ["c", "d"]],
        pd.DataFrame({"a": pd.Categorical(["x", "y"]), "b": [0, 1]}),
        pd.DataFrame({"a": [0, pd.NA], "b": [0, 1]}, dtype=object),
        np.array([["2020-01-01", "2020-01-02"]], "datetime64[D]"),
    ],
)
def test_values_that_are_no_numbers_are_told(bad):
    with pytest.raises(WordRBMError, match="not all numbers"):
        CategoricalRBM(**SMALL).fit(bad)
    with pytest.raises(WordRBMError, match="column 1 holds NaN in row 0"):
        CategoricalRBM(**SMALL).fit([[0, None], [1, 2]])


def test_any_number_of_shards_will_do():
    X, _ = latent(2, 40, [3, 4])
    assert len(CategoricalRBM(**SMALL, shards=3).fit(X)._state.chains.v) == 18


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("chains", 32, "chains from 16 to 32"),
        ("chains", 10, "chains from 16 to 10"),
        ("shards", 3, "chains from 16 to 18"),
        ("n_components", 4, "n_components from 3 to 4"),
        ("dimension", 5, "dimension from 4 to 5"),
        ("n_categories", 7, r"n_categories from \(3, 4\) to \(7, 7\)"),
    ],
)
def test_going_on_with_another_size_is_refused(name, value, told):
    X = np.array([[0, 3], [2, 0]] * 10)
    model = CategoricalRBM(**SMALL).fit(X)
    model.set_params(**{name: value})
    with pytest.raises(WordRBMError, match=told):
        model.partial_fit(X)
    model.set_params(**{**SMALL, "shards": 2, "n_categories": [3, 4], "mh_steps": 5})
    assert model.partial_fit(X).n_iter_ == 3


def test_a_refused_call_changes_nothing():
    X, _ = latent(2, 40, [3, 4])
    model = CategoricalRBM(**SMALL, n_categories=[5, 5], random_state=7).fit(X)
    before, seen = bits(model), dict(vars(model))
    for method in (model.set_params(n_jobs=0).fit, model.partial_fit):
        with pytest.raises(WordRBMError, match="n_jobs"):
            method(X + 1)
    for bad in ([[0, 1, 2]], [[0, 9]], [[0, -1]]):
        with pytest.raises(ValueError, match=r"n_categories|columns|Negative"):
            model.set_params(n_jobs=None).fit(bad)
    assert bits(model) == before
    assert vars(model).keys() == seen.keys()
    assert all(vars(model)[name] is seen[name] for name in seen)


def test_more_passes_than_can_be_counted_are_refused():
    with pytest.raises(WordRBMError, match="n_iter is 4611686018427387903"):
        CategoricalRBM(**{**SMALL, "n_iter": 2**62 - 1}).fit([[0, 1], [1, 0]])


def test_unseen_values_do_not_drown_the_others():
    X = np.arange(100)[:, None] % 50
    model = CategoricalRBM(**SMALL, n_categories=100_000, random_state=0).fit(X)
    assert np.exp(model._trainer.transition.log_q[:50]).sum() > 0.9
    assert np.all(model.sample(50, random_state=1) < 100_000)


def test_pickling_keeps_the_model_and_its_course():
    X, _ = latent(2, 100, [3, 4])
    model = CategoricalRBM(**SMALL, random_state=7).partial_fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert bits(again.partial_fit(X)) == bits(model.partial_fit(X))
    assert not hasattr(clone(model), "rbm_")


def test_a_pipeline_with_an_encoder_is_searched_over():
    X, _ = latent(5, 120, [3, 4, 3], classes=2)
    words = np.array(["red", "blue", "green", "grey"])[X]
    pipeline = make_pipeline(OrdinalEncoder(), CategoricalRBM(**SMALL, random_state=0))
    pipeline.steps.append(("logistic", LogisticRegression()))
    grid = {"categoricalrbm__n_components": np.array([2, 4])}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(words, X[:, 0] == 1)
    assert search.predict(words).shape == (120,)
    alone = GridSearchCV(CategoricalRBM(**SMALL, n_categories=4), {"dimension": [2, 3]}, cv=2)
    assert np.isfinite(alone.fit(X).best_score_)


def test_verbose_prints_every_epoch(capsys):
    CategoricalRBM(**{**SMALL, "verbose": 1}).fit([[0, 1], [1, 0]])
    assert capsys.readouterr().out.count("[CategoricalRBM] epoch") == 2


def test_many_columns_have_the_jumps_of_few():
    """Those of long windows of text were not measured on tables."""
    estimator = CategoricalRBM()
    settings = training_settings(estimator, 1, schedule(estimator, 1000), window=5)
    assert (settings.jumps, settings.bigram_share) == (1, 0.0)


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_columns_that_nearly_determine_each_other_are_learnt_at_a_high_rate():
    """Values moved one at a time cannot follow them; jumps to whole rows can."""
    rng = np.random.default_rng(0)
    K, N = 1_000, 10_000
    cause = np.minimum((rng.pareto(1.0, size=N) * 20).astype(int), K - 1)
    columns = [rng.permutation(K)[cause] for _ in range(3)]
    X = np.stack([np.where(rng.random(N) < 0.05, rng.integers(K, size=N), x) for x in columns], 1)
    model = CategoricalRBM(32, n_categories=[K] * 3, word_rate=0.1, n_iter=10, random_state=0)
    model.fit(X[:-500])
    alone = [np.log(np.bincount(x, minlength=K) + 0.5) - np.log(N + K / 2) for x in X.T]
    baseline = np.mean([logs[x] for logs, x in zip(alone, X[-500:].T, strict=True)])
    assert model.score(X[-500:]) > baseline + 1.5
