"""Units that learn with the tagger, against slopes of the exact likelihood and plain steps."""

import itertools
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from wordrbm.artifacts import TrainedModel
from wordrbm.errors import WordRBMError
from wordrbm.kernels.tuning import Learner, Read, Steps, beside, learn
from wordrbm.kernels.tuning import units as kernel_units
from wordrbm.models import WordRepRBM
from wordrbm.tasks.tagging.asked import Asked, digest
from wordrbm.tasks.tagging.cells import Cell
from wordrbm.tasks.tagging.columns import Sentence
from wordrbm.tasks.tagging.crf import ChainField, loss
from wordrbm.tasks.tagging.crfsuite import confirmed
from wordrbm.tasks.tagging.dense import tokens, units
from wordrbm.tasks.tagging.grid import Row
from wordrbm.tasks.tagging.representation import Representation
from wordrbm.tasks.tagging.tagger import Learnt, Tagger, packed, train_tagger
from wordrbm.tasks.tagging.tagger_file import load_tagger, save_tagger
from wordrbm.tasks.tagging.task import Task
from wordrbm.tasks.tagging.tuned import PARTS, Tuning
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training.settings import TrainingSettings
from wordrbm.using.windows import windows_of

L, F, H, D_, N, K = 3, 2, 4, 2, 3, 6
LENGTHS = (4, 1, 3, 2)
LETTERS = "abcdefgh"
NAMES = ("W", "V", "A", "U", "c")


@pytest.fixture
def problem():
    """Sentences of no attribute twice, so that a step for each sentence is one for each number."""
    rng = np.random.default_rng(5)
    T, S = sum(LENGTHS), len(LENGTHS)
    begin = np.append(0, np.cumsum(LENGTHS))
    attributes = np.concatenate([rng.permutation(9)[: 2 * size] for size in LENGTHS])
    ids = rng.integers(K, size=T)
    windows = [ids[t : t + N] for s in range(S) for t in range(begin[s], begin[s + 1] - N + 1)]
    counts = [max(size - N + 1, 0) for size in LENGTHS]
    read = Read(
        attributes.astype(np.int32), np.arange(0, 2 * T + 1, 2), single(rng, T, F),
        rng.integers(L, size=T).astype(np.int32), begin, np.array(windows, np.int32),
        np.append(0, np.cumsum(counts)),
    )  # fmt: skip
    now = Learner(
        single(rng, 9, L), single(rng, F + H, L), rng.normal(size=(L, L)),
        single(rng, N * D_, H), single(rng, H),
    )  # fmt: skip
    return SimpleNamespace(read=read, now=now, D=single(rng, K, D_))


def single(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def minus_log_likelihood(s, read, D, now, k):
    """Of a sentence's labels, one labeling after another; all in double precision."""
    begin, end = read.begin[s], read.begin[s + 1]
    scores = np.zeros((end - begin, L))
    for t in range(end - begin):
        for place in range(read.first[begin + t], read.first[begin + t + 1]):
            scores[t] += now.W[read.attributes[place]]
        for f in range(F):
            scores[t] += read.dense[begin + t, f] * now.V[f]
    for w in range(read.window[s], read.window[s + 1]):
        t = w - read.window[s] + N // 2
        for j in range(H):
            x = now.c[j]
            for i in range(N):
                for r in range(D_):
                    x = x + D[read.v[w, i], r] * now.U[i * D_ + r, j]
            scores[t] += k / (1.0 + math.exp(-x)) * now.V[F + j]
    weights = {
        labels: math.exp(
            sum(scores[t, y] for t, y in enumerate(labels))
            + sum(now.A[pair] for pair in itertools.pairwise(labels))
        )
        for labels in itertools.product(range(L), repeat=end - begin)
    }
    right = tuple(read.label[begin:end].tolist())
    return math.log(sum(weights.values())) - math.log(weights[right])


def slope(s, read, D, now, k, name, place):
    table, ends = getattr(now, name), []
    kept = table[place]
    for step in (1e-5, -1e-5):
        table[place] = kept + step
        ends.append(minus_log_likelihood(s, read, D, now, k))
    table[place] = kept
    return (ends[0] - ends[1]) / 2e-5


def referee(order, read, D, count, now, steps):
    """The same steps by finite differences, number by number."""
    now = Learner(*(x.astype(np.float64) for x in now))
    squares = Learner(*(np.ones_like(x) for x in now))
    for s in order:
        own = set(read.attributes[read.first[read.begin[s]] : read.first[read.begin[s + 1]]])
        found = {}
        for name in NAMES:
            for place in np.ndindex(getattr(now, name).shape):
                g = slope(s, read, D, now, steps.k, name, place)
                if name == "W":
                    g += 2 * steps.c2 / count[place[0]] * now.W[place] if place[0] in own else 0.0
                elif name in "VA":
                    g += 2 * steps.c2 / len(LENGTHS) * getattr(now, name)[place]
                found[name, place] = g
        for (name, place), g in found.items():
            getattr(squares, name)[place] += g * g
            rate = steps.unit_rate if name in "Uc" else steps.rate
            getattr(now, name)[place] -= rate * g / math.sqrt(getattr(squares, name)[place])
    return now


def test_steps_go_down_the_slopes_of_the_exact_likelihood(problem):
    read, D, now = problem.read, problem.D, problem.now
    count = np.bincount(read.attributes, minlength=9).astype(np.float32)
    order, steps = np.array([2, 0, 3, 1, 0]), Steps(0.3, 0.2, 0.4, 1.7)
    expected = referee(order, read, D, count, now, steps)
    squares = Learner(*(np.ones_like(x) for x in now))
    first = minus_log_likelihood(2, read, D, now, 1.7)
    assert learn(order[:1], read, D, count, now, squares, steps) == pytest.approx(first, abs=1e-5)
    learn(order[1:], read, D, count, now, squares, steps)
    for name in NAMES:
        found, right = getattr(now, name), getattr(expected, name)
        np.testing.assert_allclose(found, right, atol=2e-5, err_msg=name)


def made_up():
    """Labels that only the hidden units of a window could tell: whether its ends are alike."""
    rng = np.random.default_rng(3)
    vocabulary = Vocabulary.build([(word, 1) for word in LETTERS], 1)
    settings = TrainingSettings(window=3, dimension=4, hidden=12)
    D, U, c = single(rng, 9, 4), single(rng, 3, 12, 4), single(rng, 12)
    rbm = WordRepRBM(D, U, np.zeros(9, np.float32), c)
    sentences = []
    for _ in range(300):
        own = rng.choice(list(LETTERS), size=5).tolist()
        alike = [1 <= t < 4 and own[t - 1] == own[t + 1] for t in range(5)]
        sentences.append(Sentence((tuple(own), tuple("yes" if x else "no" for x in alike))))
    return TrainedModel(rbm, vocabulary, settings), sentences


def right(tagger, sentences):
    found = tagger.tag([one.columns[:-1] for one in sentences])
    same = [tuple(tags) == one.labels for one, tags in zip(sentences, found, strict=True)]
    return sum(same) / len(same)


def tagger_of(model, sentences, tuning) -> Tagger:
    kind = Representation(None, model, tuning=tuning)
    return train_tagger(Learnt.of(sentences), [one.words for one in sentences], kind, 0.01)


@pytest.fixture(scope="module")
def learnt():
    model, sentences = made_up()
    return model, sentences, tagger_of(model, sentences[:250], Tuning(passes=20))


def test_units_learn_what_they_did_not_see_before(learnt):
    model, sentences, tuned = learnt
    plain = tagger_of(model, sentences[:250], None)
    assert right(tuned, sentences[250:]) > right(plain, sentences[250:]) + 0.1


def test_only_the_units_learn(learnt):
    model, _, tuned = learnt
    found = tuned.representation.model
    np.testing.assert_array_equal(found.rbm.D, model.rbm.D)
    assert np.abs(found.rbm.U - model.rbm.U).max() > 0.1
    assert found.rbm.U.dtype == np.float32
    assert found.vocabulary is model.vocabulary


def test_at_no_rate_units_stay_as_they_were(learnt):
    model, sentences, _ = learnt
    found = tagger_of(model, sentences[:20], Tuning(passes=1, unit_rate=0.0)).representation.model
    np.testing.assert_array_equal(found.rbm.U, model.rbm.U)
    np.testing.assert_array_equal(found.rbm.c, model.rbm.c)


def test_the_same_seed_gives_the_same_bits(learnt):
    model, sentences, _ = learnt
    one, same, other = (
        tagger_of(model, sentences[:50], Tuning(passes=2, seed=seed)) for seed in (1, 1, 2)
    )
    for a, b, c in zip(*(x.field.parts() for x in (one, same, other)), strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.size == 0 or (a != c).any()


def test_sentences_without_a_window_are_learnt_from_too():
    model, _ = made_up()
    short = [Sentence((("a",), ("yes",))), Sentence((("b", "c"), ("no", "yes")))] * 5
    assert right(tagger_of(model, short, Tuning()), short) == 1.0


def test_a_step_is_told_often_enough_to_be_stopped(learnt):
    model, sentences, _ = learnt
    told = []
    kind = Representation(None, model, tuning=Tuning(passes=2))
    some = sentences[:40]
    train_tagger(Learnt.of(some), [x.words for x in some], kind, 0.1, lambda *x: told.append(x))
    assert [step for step, _ in told] == list(range(1, 31))


def test_taggers_together_score_by_their_mean(tmp_path):
    model, sentences = made_up()
    kinds = [Representation(None, model, tuning=Tuning(passes=1, seed=k)) for k in (1, 2)]
    some, words = sentences[:30], [one.words for one in sentences[:30]]
    all_of = [*kinds, Representation(members=tuple(kinds)).scaled(0.1, 1.0)]
    one, other, both = (train_tagger(Learnt.of(some), words, kind, 0.1) for kind in all_of)
    assert [kind.hidden_scale for kind in all_of[2].scaled(0.3, 2.0).members] == [2.0, 2.0]
    assert [kind.scale for kind in all_of[2].scaled(0.3, 2.0).members] == [0.3, 0.3]
    found = [scores(tagger, sentences[30:]) for tagger in (one, other, both)]
    np.testing.assert_allclose(found[2], (found[0] + found[1]) / 2, atol=1e-6)
    np.testing.assert_allclose(both.field.A, (one.field.A + other.field.A) / 2)
    save_tagger(tmp_path / "tagger", both, "mark")
    again = load_tagger(tmp_path / "tagger")
    np.testing.assert_array_equal(scores(again, sentences[30:]), found[2])
    (tmp_path / "tagger" / "member2" / "model" / "model.safetensors").unlink()
    with pytest.raises(WordRBMError):
        load_tagger(tmp_path / "tagger")


def scores(tagger, sentences):
    dense = tagger.representation.dense([one.words for one in sentences])
    given = packed([one.columns[:-1] for one in sentences], tagger.attributes)
    return tagger.field.scores(given._replace(dense=dense))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_units_stand_at_the_tokens_where_the_tagger_looks_for_them(n):
    rng = np.random.default_rng(n)
    model, sentences = made_up()
    rbm = WordRepRBM(model.rbm.D, single(rng, n, 12, 4), model.rbm.b, model.rbm.c)
    model, words = (
        replace(model, rbm=rbm),
        [one.words[:size] for size, one in enumerate(sentences[:6])],
    )
    windows = [windows_of(model.vocabulary.ids(own), n) for own in words]
    read = Read(
        np.zeros(0, np.int32), np.zeros(16, int), np.zeros((15, 0), np.float32),
        np.zeros(15, np.int32), np.cumsum([0, *map(len, words)]), np.concatenate(windows),
        np.cumsum([0, *map(len, windows)]),
    )  # fmt: skip
    now = Learner(*[np.zeros((0, 2), np.float32)] * 3, np.ascontiguousarray(rbm.stacked.T), rbm.c)
    found = [beside(s, read, kernel_units(s, read, rbm.D, now)[1], 3.0) for s in range(6)]
    np.testing.assert_allclose(np.concatenate(found), 3.0 * units(words, model), atol=1e-6)


def test_a_hidden_scale_is_that_of_learning_and_of_tagging():
    model, sentences = made_up()
    one, told = [next(x for x in sentences if len(set(x.labels)) > 1)], []
    kind = Representation(None, model, hidden_scale=3.0, tuning=Tuning(passes=2, unit_rate=0.0))
    words = [x.words for x in one]
    learnt_from = Learnt.of(one)
    train_tagger(learnt_from, words, kind, 0.1, lambda step, value: told.append(value))
    half = train_tagger(learnt_from, words, kind._replace(tuning=Tuning(1, 0.3, 0.0)), 0.1)
    # the second pass meets what one pass has learnt, as its tagger scores it
    given = packed([x.columns[:-1] for x in one], half.attributes)
    given = given._replace(dense=half.representation.dense(words))
    empty = ChainField(*(np.zeros_like(x) for x in half.field.parts()))
    assert sum(told[PARTS:]) == pytest.approx(
        loss(half.field, given, learnt_from.label, 0.0, empty), rel=1e-4, abs=1e-4
    )


def test_a_model_in_double_precision_stays_so_and_is_kept(tmp_path):
    model, sentences = made_up()
    doubled = {name: x.astype(np.float64) for name, x in model.rbm.parameters().items()}
    model = replace(model, rbm=replace(model.rbm, **doubled))
    tagger = tagger_of(model, sentences[:20], Tuning(passes=1))
    save_tagger(tmp_path, tagger, "mark")
    np.testing.assert_array_equal(
        scores(load_tagger(tmp_path), sentences[20:]), scores(tagger, sentences[20:])
    )


def test_a_blank_in_a_sentence_is_an_unknown_word():
    model, sentences = made_up()
    given = Sentence((("a", "___", "b"), ("no", "no", "yes")))
    tagger = tagger_of(model, [*sentences[:20], given], Tuning(passes=1))
    assert len(tagger.tag([given.columns[:-1]])[0]) == 3
    assert tokens(("A", "___", "1999")) == ["a", "<unk>", "#"]


def test_marks_differ_where_members_or_learning_do():
    model, sentences = made_up()
    other, task = replace(model, rbm=replace(model.rbm, c=model.rbm.c + 1)), Task(sentences, [], [])
    one, changed = (Representation(None, x, tuning=Tuning()) for x in (model, other))
    kinds = [
        one, one._replace(tuning=None), one._replace(tuning=Tuning(seed=1)),
        Representation(members=(one,)), Representation(members=(one, one)),
        Representation(members=(one, changed)), Representation(members=(changed, one)),
    ]  # fmt: skip
    assert len({digest(task, kind) for kind in kinds}) == len(kinds)


def test_crfsuite_is_not_asked_for_units_that_learn(tmp_path):
    kind = Representation(None, made_up()[0], tuning=Tuning())
    cell = Cell("row", 0.1, 1.0, 0.2)
    rows = [Row("row", cell, None, None, tmp_path, 1), Row("two", cell, None, None, tmp_path, 1)]
    asked = Asked({"row": kind, "two": Representation(members=(kind,))}, (), (), (), 1)
    assert confirmed(rows, asked, None, tmp_path, lambda done, note: None) == {}
