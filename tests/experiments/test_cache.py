"""The cache of results: found by digest, kept after a stop, refused when damaged."""

import numpy as np
import pytest
from experiments.cache import ResultCache, ResultKey

from wordrbm.errors import Stopped, WordRBMError
from wordrbm.threads import SharedProgress


def progress(stop=lambda: False):
    return SharedProgress(1, lambda fraction, note: None, stop)


def test_results_are_found_by_everything_they_were_computed_from(tmp_path):
    cache, key = ResultCache(tmp_path), ResultKey.of("row", c2=0.1)
    assert cache.load(key) is None
    cache.save(key, {"f1": 0.5})
    assert cache.load(key) == {"f1": 0.5}
    assert cache.load(ResultKey.of("row", c2=0.2)) is None
    assert cache.load(ResultKey.of("other row", c2=0.1)) is None
    assert ResultCache(tmp_path).load(ResultKey.of("row", c2=0.1)) == {"f1": 0.5}
    assert list(cache.records()) == [{"f1": 0.5}]


def test_another_version_of_the_package_gives_another_key(monkeypatch):
    before = ResultKey.of("row", c2=0.1)
    monkeypatch.setattr("experiments.cache.__version__", "9.9")
    assert ResultKey.of("row", c2=0.1).digest != before.digest


def test_file_names_differ_where_keys_do():
    keys = [ResultKey.of(name) for name in ("a.b", "a-b", "a b", "x" * 300, "x" * 301)]
    keys += [ResultKey.of("a.b", c2=c2) for c2 in (1.0000001, 1.0000002)]
    assert len({key.stem for key in keys}) == len(keys)
    assert max(len(key.stem) for key in keys) < 120


def test_damaged_results_are_refused(tmp_path):
    cache, key = ResultCache(tmp_path), ResultKey.of("row")
    cache.save(key, {"f1": 0.5})
    (path,) = tmp_path.iterdir()
    for text in ("{", "[" * 100_000, "{}", '{"digest": "other", "result": {}}', "[1]"):
        path.write_text(text)
        with pytest.raises(WordRBMError, match="damaged; remove it"):
            cache.load(key)
    assert list(cache.records()) in ([], [{}])


def test_arrays_of_a_result(tmp_path):
    cache, key = ResultCache(tmp_path), ResultKey.of("row")
    energies = np.arange(6.0).reshape(3, 2)
    cache.save(key, {"f1": 0.5, "energies": energies})
    result = cache.require(key)
    assert result["f1"] == 0.5
    np.testing.assert_array_equal(result["energies"], energies)
    arrays = cache.path(key, ".safetensors")
    content = arrays.read_bytes()
    cache.save(key, {"energies": np.array([np.nan])})
    with pytest.raises(WordRBMError, match="damaged; remove it"):
        cache.load(key)
    cache.save(key, {"energies": energies[:1]})
    for damaged in (content, b"", content[:40]):  # of another shape, empty, cut short
        arrays.write_bytes(damaged)
        with pytest.raises(WordRBMError, match="damaged; remove it"):
            cache.load(key)
    arrays.unlink()
    with pytest.raises(WordRBMError, match="damaged; remove it"):
        cache.load(key)


def test_finished_results_survive_a_stop(tmp_path):
    cache, keys, finished = ResultCache(tmp_path), [ResultKey.of(str(k)) for k in range(5)], []

    def job():
        finished.append(1)
        return {"number": len(finished)}

    with pytest.raises(Stopped):
        cache.compute(dict.fromkeys(keys, job), 1, progress(lambda: len(finished) == 2))
    assert [cache.load(key) is not None for key in keys] == [True, True, False, False, False]
    cache.compute({key: job for key in keys if cache.load(key) is None}, 2, progress())
    assert len(finished) == 5
