"""A checkpoint comes back bit for bit; one of another run, or one that does not fit, is refused."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from wordrbm.errors import WordRBMError
from wordrbm.io.checkpoint import (
    FOLDER,
    RunIdentity,
    RunState,
    latest_checkpoint,
    list_checkpoints,
    remove_checkpoints,
    save_checkpoint,
)
from wordrbm.io.tensors import read_metadata, write_tensors
from wordrbm.models import init_wordrep
from wordrbm.sampling import Chains
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import TrainingSettings, TrainingState
from wordrbm.training.optimizer import Averages

K, n, H, d, M = 4, 2, 3, 5, 8


@pytest.fixture
def identity():
    vocabulary = Vocabulary.build([("the", 50), ("cat", 20), ("sat", 7)], 3)
    settings = TrainingSettings(window=n, hidden=H, dimension=d, chains=M, averaging=2)
    return RunIdentity(settings, vocabulary, "0" * 64)


@pytest.fixture
def current(rng, identity):
    rbm = init_wordrep(rng, n=n, H=H, d=d, word_probability=identity.vocabulary.probability())
    chains = Chains(
        rng.integers(0, K, (M, n), np.int32), rng.integers(0, 2, (M, H)).astype(np.float32)
    )
    speeds = rng.normal(size=rbm.stacked.shape).astype(np.float32)
    velocity = {"U": speeds, "c": np.ones_like(rbm.c)}
    averages = Averages(
        2,
        {name: rbm.table(name) + 1 for name in rbm.parameters()},
        ("D", "b"),
        np.arange(K, dtype=np.int64),
    )
    return RunState(rbm, TrainingState(7, chains, velocity, averages), 0.5, 0.25)


def test_a_state_comes_back_bit_for_bit(tmp_path, current, identity):
    save_checkpoint(tmp_path, current, identity)
    loaded = latest_checkpoint(tmp_path, identity)
    assert (loaded.state.step, loaded.acceptance, loaded.jump_acceptance) == (7, 0.5, 0.25)
    for name, value in current.rbm.parameters().items():
        np.testing.assert_array_equal(loaded.rbm.parameters()[name], value)
        np.testing.assert_array_equal(
            loaded.state.averages.value[name], current.state.averages.value[name]
        )
    for name, value in current.state.velocity.items():
        np.testing.assert_array_equal(loaded.state.velocity[name], value)
    for stored, value in zip(loaded.state.chains, current.state.chains, strict=True):
        np.testing.assert_array_equal(stored, value)


def test_two_checkpoints_are_kept_and_all_are_removed(tmp_path, current, identity):
    for step in (7, 8, 9):
        state = current.state._replace(step=step)
        save_checkpoint(tmp_path, current._replace(state=state), identity)
    assert [int(path.stem) for path in list_checkpoints(tmp_path)] == [8, 9]
    remove_checkpoints(tmp_path)
    assert not (tmp_path / FOLDER).exists()
    assert latest_checkpoint(tmp_path, identity) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"corpus": "1" * 64}, "the corpus is another"),
        ({"vocabulary": Vocabulary.build([("a", 3), ("b", 2), ("c", 1)], 1)}, "the vocabulary is"),
        (
            {"settings": TrainingSettings(window=n, hidden=H, dimension=d)},
            "chains was 8 and is now",
        ),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(tmp_path, current, identity, change, message):
    save_checkpoint(tmp_path, current, identity)
    with pytest.raises(WordRBMError, match=message):
        latest_checkpoint(tmp_path, identity._replace(**change))


@pytest.mark.parametrize(
    ("name", "value"),
    [("chains.v", K), ("chains.h", 2), ("velocity.c", np.nan), ("average.D", np.inf)],
)
def test_a_state_that_does_not_fit_is_refused(tmp_path, current, identity, name, value):
    save_checkpoint(tmp_path, current, identity)
    (path,) = list_checkpoints(tmp_path)
    arrays, metadata = load_file(path), read_metadata(path)
    arrays[name].flat[0] = value
    write_tensors(path, arrays, metadata)
    with pytest.raises(WordRBMError, match="None of the 1 checkpoints"):
        latest_checkpoint(tmp_path, identity)


@pytest.mark.parametrize(
    ("operator", "refusal"), [("unigram", None), ("clusters", "proposed words by clusters")]
)
def test_checkpoints_from_before_the_settings_of_today(
    tmp_path, current, identity, operator, refusal
):
    """Settings that came later are as if off; a run by clusters cannot go on."""
    older = identity.settings.model_copy(update={"objective": "sml"})
    identity = RunIdentity(older, identity.vocabulary, identity.corpus)
    save_checkpoint(tmp_path, current, identity)
    path = list_checkpoints(tmp_path)[0]
    metadata = read_metadata(path)
    for name in ("objective", "ranking_weight", "candidates"):
        del metadata["settings"][name]
    metadata["settings"] |= {"operator": operator, "cluster_steps": 4}
    write_tensors(path, load_file(path), metadata)
    if refusal is None:
        assert latest_checkpoint(tmp_path, identity).state.step == current.state.step
    else:
        with pytest.raises(WordRBMError, match=refusal):
            latest_checkpoint(tmp_path, identity)
