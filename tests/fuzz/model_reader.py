"""Damaged model folders: every answer is a sound model or one short sentence.

`fuzz` damages one file of a small model at a time and reads it as a user would. What is neither
an answer nor a refusal (another exception, a sentence of two lines or of a page, a model that
does not fit) is counted under "finding".
"""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np

from tests.fuzz.model_damage import ANY_FILE, ODD, TENSORS, Damage
from wordrbm.errors import WordRBMError
from wordrbm.io.checkpoint import (
    RunIdentity,
    RunState,
    latest_checkpoint,
    list_checkpoints,
    save_checkpoint,
)
from wordrbm.io.model_folder import append_metrics, read_metrics
from wordrbm.models import WordRepRBM, init_wordrep
from wordrbm.sampling import Chains
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel, load, save
from wordrbm.training import TrainingSettings, TrainingState

K, n, H, d, M = 12, 2, 3, 4, 4
LONGEST = 3000  # characters of a sentence: twenty faults of a file
SETTINGS = TrainingSettings(window=n, hidden=H, dimension=d, chains=M, batch_size=M, shards=2)


def fuzz(count: int, seed: int, folder: Path) -> Counter[str]:
    """Damage and read `count` times; how often each answer was given."""
    origin = _write(folder)
    readers: dict[str, Callable[[], None]] = {
        "model.safetensors": lambda: _check_model(load(folder).rbm),
        "vocabulary.tsv": lambda: _check_vocabulary(folder / "vocabulary.tsv"),
        "metrics.jsonl": lambda: _check_metrics(folder / "metrics.jsonl"),
        str(list_checkpoints(folder)[0].relative_to(folder)): lambda: _check_checkpoint(
            folder, origin
        ),
    }
    sound = {name: (folder / name).read_bytes() for name in readers}
    choose, answers = Random(seed), Counter[str]()
    for _ in range(count):
        name = choose.choice([*readers, "model.safetensors"])
        damage = choose.choice(DAMAGES.get(Path(name).suffix, TENSORS))
        (folder / name).write_bytes(damage(choose, sound[name]))
        answers[f"{name} {answer(readers[name], damage.__name__)}"] += 1
        (folder / name).write_bytes(sound[name])
    return answers


def answer(read: Callable[[], None], damage: str) -> str:
    """What a reader said: read, refused, or a finding."""
    try:
        read()
    except WordRBMError as error:
        told = str(error)
        if "\n" in told or "\x1b" in told or not told.endswith(".") or len(told) >= LONGEST:
            return f"finding after {damage}: a sentence of {len(told)}: {told[:300]!r}"
        return "refused"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic in compiled code is no Exception
        return f"finding after {damage}: {type(error).__name__}: {str(error)[:300]!r}"
    return "read"


def findings(answers: Counter[str]) -> list[str]:
    """The answers that should not be."""
    return [f"{count} x {told}" for told, count in answers.items() if "finding" in told]


def _write(folder: Path) -> RunIdentity:
    """A small model, a checkpoint and two lines of metrics."""
    rng = np.random.default_rng(1)
    vocabulary = Vocabulary.build([(f"word{k}é", 100 - k) for k in range(1, K)], 3)
    rbm = init_wordrep(rng, n=n, H=H, d=d, word_probability=vocabulary.probability())
    save(folder, TrainedModel(rbm, vocabulary, SETTINGS))
    chains = Chains(rng.integers(0, K, (M, n), np.int32), np.ones((M, H), np.float32))
    state = TrainingState(7, chains, {"U": np.zeros_like(rbm.stacked), "c": np.zeros_like(rbm.c)})
    origin = RunIdentity(SETTINGS, vocabulary, "0" * 64)
    save_checkpoint(folder, RunState(rbm, state, 0.5), origin)
    for step in (5, 10):
        append_metrics(folder / "metrics.jsonl", {"step": step, "cloze_perplexity": 12.5})
    return origin


def _check_model(rbm: WordRepRBM) -> None:
    shapes = {name: value.shape for name, value in rbm.parameters().items()}
    assert shapes == {"D": (K, d), "U": (n, H, d), "b": (K,), "c": (H,)}
    assert all(np.isfinite(value).all() for value in rbm.parameters().values())


def _check_vocabulary(path: Path) -> None:
    """What is read is what the file holds, to the byte."""
    vocabulary = Vocabulary.read(path)
    again = zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)
    assert "".join(f"{word}\t{count}\n" for word, count in again).encode() == path.read_bytes()


def _check_metrics(path: Path) -> None:
    assert all(isinstance(record["step"], int) for record in read_metrics(path))


def _check_checkpoint(folder: Path, origin: RunIdentity) -> None:
    found = latest_checkpoint(folder, origin)
    assert found is not None, "a checkpoint is there, so it is read or refused"
    _check_model(found.rbm)
    v, h = found.state.chains
    assert (v.shape, h.shape) == ((M, n), (M, H))
    assert np.isin(v, range(K)).all()
    assert np.isin(h, (0, 1)).all()
    assert type(found.state.step) is int
    assert all(np.isfinite(speed).all() for speed in found.state.velocity.values())
    assert np.isfinite(found.acceptance)


def changed_row(choose: Random, data: bytes) -> bytes:
    """One line of a vocabulary is another."""
    lines = data.split(b"\n")
    lines[choose.randrange(len(lines))] = choose.choice(
        [b"a\t" + b"9" * 18, b"a\t" + b"9" * 99, b"a\t-1", b"a\t007", b"a", b"\t", b"\0\t1",
         b"\xff\t1", "a\t\u0663".encode(), b"<unk>\t1", lines[1], b"x" * 9999,
         b"x" * 9999 + b"\t1", b"a\t 1"]
    )  # fmt: skip
    return b"\n".join(lines)


def repeated_row(choose: Random, data: bytes) -> bytes:
    """A word, perhaps a long one, stands there twice."""
    return data + 2 * choose.choice([b"again\t1\n", b"\x1b[2J" * 900 + b"\t1\n"])


def changed_record(choose: Random, data: bytes) -> bytes:
    """One more line of metrics, and an odd one."""
    lines = ["[" * 99_999, '{"step":' * 9999, '{"step": ' + "9" * 9999 + "}", "\ud800", "null"]
    lines.append(json.dumps({"step": choose.choice(ODD), "acceptance": choose.choice(ODD)}))
    return data + choose.choice(lines).encode("utf-8", "surrogatepass") + b"\n"


DAMAGES: dict[str, list[Damage]] = {
    ".tsv": [*ANY_FILE, changed_row, changed_row, repeated_row],
    ".jsonl": [*ANY_FILE, changed_record, changed_record],
}
