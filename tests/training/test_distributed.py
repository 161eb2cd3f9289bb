"""Real processes share a run: the bytes of one process, whatever is killed, stopped or resized."""

import random
import signal
import time

import pytest

from tests.corpora import prepared
from tests.ranks import OPTIONS, Ranks, torch_zygote
from tests.run.test_training_run import final_files
from wordrbm.io.checkpoint import list_checkpoints


@pytest.fixture(scope="module")
def zygote():
    zygote = torch_zygote()
    yield zygote
    zygote.close()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("made_up"), stories=20).path


@pytest.fixture(scope="module")
def whole(zygote, corpus, tmp_path_factory):
    """The files of a run by one process."""
    return train_alone(zygote, corpus, tmp_path_factory.mktemp("whole"))


def train_alone(zygote, corpus, folder, *more):
    command = ["train", corpus, "--out", folder / "model", *OPTIONS, *more]
    assert zygote.run(*command, log=folder / "log") == 0, (folder / "log").read_text()
    return final_files(folder / "model")


def train(zygote, corpus, folder, world, *more, each=lambda rank: [], saving=5):
    out = ["--out", folder / "model", "--checkpoint-minutes", saving, "--rank-timeout", 20]
    return Ranks(zygote, folder, world, "train", corpus, *out, *OPTIONS, *more, each=each)


def until_checkpoint(folder, ranks):
    """Wait until the first checkpoint is there."""
    for _ in range(30_000):
        if list_checkpoints(folder / "model"):
            return
        time.sleep(0.002)  # a short run is soon over
    ranks.kill_all()
    raise AssertionError(ranks.texts())


@pytest.mark.parametrize("world", [1, 2, 3, 4])
def test_any_world_size_gives_the_bytes_of_one_process(zygote, corpus, whole, tmp_path, world):
    ranks = train(zygote, corpus, tmp_path, world)
    assert ranks.wait() == [0] * world, ranks.texts()
    assert final_files(tmp_path / "model") == whole


@pytest.fixture(params=["memory", "gloo"])
def transport(request, monkeypatch):
    """What carries arrays: the memory of one machine, or gloo as between machines."""
    if request.param == "gloo":
        monkeypatch.setenv("WORDRBM_SHARED_MEMORY", "0")
    return request.param


def test_gloo_gives_the_bytes_of_one_process(zygote, corpus, whole, tmp_path, monkeypatch):
    monkeypatch.setenv("WORDRBM_SHARED_MEMORY", "0")
    ranks = train(zygote, corpus, tmp_path, 3)
    assert ranks.wait() == [0] * 3, ranks.texts()
    assert final_files(tmp_path / "model") == whole


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_any_seed_and_world_size_gives_the_bytes_of_one_process(zygote, corpus, tmp_path, seed):
    alone = train_alone(zygote, corpus, tmp_path, "--seed", seed)
    for world in (1, 2, 3, 4):
        ranks = train(zygote, corpus, tmp_path / str(world), world, "--seed", seed)
        assert ranks.wait() == [0] * world, ranks.texts()
        assert final_files(tmp_path / str(world) / "model") == alone


def test_a_killed_rank_is_named(zygote, corpus, transport, tmp_path):
    ranks = train(zygote, corpus, tmp_path, 3, "--windows", 10**6, saving=0.0)
    until_checkpoint(tmp_path, ranks)
    ranks.signal(2, signal.SIGKILL)
    assert ranks.wait()[:2] == [2, 2], ranks.texts()
    assert "ank 2 no longer answers" in ranks.texts()
    assert list_checkpoints(tmp_path / "model")


def test_a_rank_killed_at_random_ends_with_the_same_bytes(zygote, corpus, whole, tmp_path, tally):
    tally(kill_often(zygote, corpus, whole, tmp_path, 3))


@pytest.mark.slow
def test_a_rank_killed_100_times_ends_with_the_same_bytes(zygote, corpus, whole, tmp_path, tally):
    tally(kill_often(zygote, corpus, whole, tmp_path, 100))


def kill_often(zygote, corpus, whole, folder, count):
    """Kill a rank, start again with another world size, until all is done; again and again."""
    choose, kills, runs = random.Random(1), 0, 0
    while kills < count:
        runs, done = runs + 1, False
        while not done:
            world = choose.choice([2, 3, 4])
            ranks = train(zygote, corpus, folder / str(runs), world, saving=0.0)
            if kills < count and choose.random() < 0.8:
                time.sleep(choose.uniform(0.0, 4.0))
                ranks.signal(choose.randrange(world), signal.SIGKILL)
                kills += 1
            done = ranks.wait() == [0] * world
        assert final_files(folder / str(runs) / "model") == whole, f"run {runs}"
    return f"{kills} kill -9 of a rank in {runs} runs of 2 to 4 processes: byte-identical"


def test_a_stopped_rank_is_named_after_the_timeout(zygote, corpus, transport, tmp_path):
    more = ["--windows", 10**6, "--rank-timeout", 5]
    ranks = train(zygote, corpus, tmp_path, 2, *more, saving=0.0)
    until_checkpoint(tmp_path, ranks)
    ranks.signal(1, signal.SIGSTOP)
    assert zygote.wait(ranks.children[0]) == 2
    assert "Rank 1 no longer answers rank 0" in ranks.text(0)
    assert ranks.text(0).count("\n") == 1
    ranks.signal(1, signal.SIGKILL)
    zygote.wait(ranks.children[1])


@pytest.mark.parametrize("who", [0, 1])
def test_a_terminated_rank_saves_and_stops_all(zygote, corpus, tmp_path, who):
    ranks = train(zygote, corpus, tmp_path, 2, "--windows", 10**6, saving=0.001)
    until_checkpoint(tmp_path, ranks)
    ranks.signal(who, signal.SIGTERM)
    assert ranks.wait() == [0, 0], ranks.texts()
    assert ranks.texts().count("Stopped; the checkpoint is in") == 1


def test_a_stopped_run_goes_on_in_one_process(zygote, corpus, whole, tmp_path):
    ranks = train(zygote, corpus, tmp_path, 2, saving=0.0)
    until_checkpoint(tmp_path, ranks)
    ranks.signal(1, signal.SIGTERM)
    ranks.wait()
    command = ["train", corpus, "--out", tmp_path / "model", *OPTIONS, "--resume"]
    assert zygote.run(*command, log=tmp_path / "log") == 0
    assert final_files(tmp_path / "model") == whole


def test_another_setting_or_corpus_on_one_rank_is_refused(zygote, corpus, tmp_path):
    other = prepared(tmp_path / "other", stories=21).path
    seeds = train(zygote, corpus, tmp_path / "a", 2, each=lambda rank: ["--seed", 1 + rank])
    assert seeds.wait() == [2, 2]
    assert "Rank 1 was not started like rank 0: seed is 1 and 2" in seeds.texts()
    out = ["--out", tmp_path / "b" / "model", *OPTIONS]
    corpora = Ranks(
        zygote, tmp_path / "b", 2, "train", *out, each=lambda rank: [[corpus, other][rank]]
    )
    assert corpora.wait() == [2, 2]
    assert "corpus is" in corpora.texts()
    assert not list_checkpoints(tmp_path / "b" / "model")


def test_a_missing_corpus_on_one_rank_ends_all(zygote, corpus, tmp_path):
    out = ["--out", tmp_path / "model", *OPTIONS]
    paths = [corpus, tmp_path / "nowhere"]
    ranks = Ranks(zygote, tmp_path, 2, "train", *out, each=lambda rank: [paths[rank]])
    assert ranks.wait() == [2, 2]
    assert ranks.texts().count("Rank 1: ") == 1


FULL_DISK = """
import wordrbm.run.training_run as run
from wordrbm.errors import WordRBMError

def refuse(*given):
    raise WordRBMError("metrics.jsonl cannot be written: no space left.")

run.append_metrics = refuse
"""


def test_a_failure_of_the_first_rank_alone_is_the_sentence_of_all(zygote, corpus, tmp_path):
    code = {0: {"code": FULL_DISK}}
    out = ["--out", tmp_path / "model", *OPTIONS]
    ranks = Ranks(zygote, tmp_path, 2, "train", corpus, *out, code=code)
    assert ranks.wait() == [2, 2]
    assert ranks.texts().count("no space left") == 1
    assert "no longer answers" not in ranks.texts()


def test_periodic_averaging_is_deterministic_for_a_world_size(zygote, corpus, tmp_path):
    results = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        ranks = train(zygote, corpus, folder, 2, "--average-every", 40)
        assert ranks.wait() == [0, 0], ranks.texts()
        results.append(final_files(folder / "model"))
    assert results[0] == results[1]
    ranks = train(zygote, corpus, tmp_path / "c", 2, "--average-every", 40, saving=0.0)
    until_checkpoint(tmp_path / "c", ranks)
    ranks.signal(1, signal.SIGKILL)
    ranks.wait()
    other = train(zygote, corpus, tmp_path / "c", 3, "--average-every", 40)
    assert other.wait() == [2, 2, 2]
    assert "world_size was 2 and is now 3" in other.texts()
    assert train(zygote, corpus, tmp_path / "c", 2, "--average-every", 40).wait() == [0, 0]
    assert final_files(tmp_path / "c" / "model") == results[0]
