import hashlib
import json

import pytest

from wordrbm.errors import WordRBMError
from wordrbm.text import jobs
from wordrbm.text.digest import digests, of_all
from wordrbm.text.prepare import prepare
from wordrbm.text.settings import PrepareSettings


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in {"a.txt": "The cat.", "b.txt": "", "c.txt": "The dog."}.items():
        (folder / name).write_text(text)
    return folder


def inputs(texts, out):
    list(prepare([texts], out, PrepareSettings(), 1))
    return json.loads((out / "manifest.json").read_text())["inputs"]


def test_the_digest_is_that_of_the_digests(texts):
    lines = "".join(
        hashlib.sha256(text).hexdigest() + "\n" for text in (b"The cat.", b"", b"The dog.")
    )
    found = of_all(digests(sorted(texts.iterdir())))
    assert found == hashlib.sha256(lines.encode()).hexdigest()


def test_the_manifest_has_it_whatever_the_jobs_and_the_names(tmp_path, texts, monkeypatch):
    found = {inputs(texts, tmp_path / "one job")}
    monkeypatch.setattr(jobs, "JOB_BYTES", 1)
    found.add(inputs(texts, tmp_path / "many jobs"))
    (texts / "c.txt").rename(texts / "d.txt")
    found.add(inputs(texts, tmp_path / "other names"))
    assert found == {of_all(digests(sorted(texts.iterdir())))}


def test_other_bytes_order_or_files_give_another(tmp_path, texts):
    whole = digests(sorted(texts.iterdir()))
    others = [whole[::-1], whole[1:], [*whole, whole[0]], []]
    assert len({of_all(found) for found in [whole, *others]}) == 5


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(WordRBMError, match=r"Could not read .*a\.txt: No such file"):
        digests([tmp_path / "a.txt"])
