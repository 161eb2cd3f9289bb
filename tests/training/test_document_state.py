"""The state of a document trainer: stored at any update and restored, the bits are the same."""

import numpy as np
import pytest

from tests.training.test_document_trainer import SETTINGS, trained, two_topics
from wordrbm.training.document_state import restore_state, state_arrays
from wordrbm.training.document_trainer import DocumentTrainer

SHORT = SETTINGS.model_copy(update={"updates": 40, "dimension": 3})


def stored_after(counts, settings, step):
    """Copies of the arrays after an update."""
    for state in DocumentTrainer.start(counts, settings).train(counts):
        if state.step == step:
            return {name: array.copy() for name, array in state_arrays(state).items()}
    raise AssertionError


@pytest.mark.parametrize(("step", "threads"), [(1, 1), (17, 3), (39, 2)])
@pytest.mark.parametrize("dimension", [None, 3])
def test_a_restored_trainer_ends_in_the_same_bits(step, threads, dimension):
    counts = two_topics(70)
    settings = SHORT.model_copy(update={"dimension": dimension})
    whole = trained(counts, settings)
    arrays = stored_after(counts, settings, step)
    trainer = restore_state(DocumentTrainer.start(counts, settings), arrays, step)
    *_, trainer = trainer.train(counts, threads=threads)
    assert trainer.step == 40
    for name, array in state_arrays(whole).items():
        np.testing.assert_array_equal(state_arrays(trainer)[name], array, err_msg=name)
    for name in "DUbc":
        np.testing.assert_array_equal(getattr(trainer.model(), name), getattr(whole.model(), name))


@pytest.mark.parametrize(
    ("name", "value"),
    [("chains.words", 20), ("chains.words", -1), ("chains.h", 0.5), ("averages.covered", 9999),
     ("chains.length", -1), ("chains.length", 10_000), ("chains.direction", 0),
     ("tempering.slope", np.nan),
     ("parameters.D", np.nan), ("velocity.c", np.inf)],
)  # fmt: skip
def test_arrays_that_are_no_state_are_refused(name, value):
    counts = two_topics(40)
    arrays = stored_after(counts, SHORT, 5)
    arrays[name].flat[0] = value
    assert restore_state(DocumentTrainer.start(counts, SHORT), arrays, 5) is None


def test_other_shapes_types_and_updates_are_refused():
    counts = two_topics(40)
    arrays, fresh = stored_after(counts, SHORT, 5), DocumentTrainer.start(counts, SHORT)
    assert restore_state(fresh, arrays, 41) is None
    assert restore_state(fresh, arrays | {"more": np.zeros(1)}, 5) is None
    assert restore_state(fresh, arrays | {"parameters.c": np.zeros(9, np.float32)}, 5) is None
    assert restore_state(fresh, arrays | {"parameters.c": np.zeros(4)}, 5) is None
    assert fresh.step == 0


def test_word_vectors_start_as_given_and_may_stay():
    counts, vectors = two_topics(60), np.random.default_rng(1).normal(size=(20, 3))
    frozen = SHORT.model_copy(update={"train_vectors": False, "l2": 0.0})
    for settings, unchanged in ((SHORT, False), (frozen, True)):
        trainer = DocumentTrainer.start(counts, settings, vectors)
        np.testing.assert_array_equal(trainer.model().D, vectors.astype(np.float32))
        for _ in trainer.train(counts):
            pass
        is_same = (vectors.astype(np.float32) == trainer.parameters.D).all()
        assert is_same == unchanged
        assert (trainer.parameters.b != DocumentTrainer.start(counts, settings).parameters.b).any()
