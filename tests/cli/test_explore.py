"""The commands `wordrbm map` and `wordrbm explore`: the map is computed once, faults are said."""

import shutil
import socket

import pytest

from tests.corpora import prepared
from wordrbm.analysis import embedding_map
from wordrbm.cli import demo
from wordrbm.io.model_folder import MAP

pytest.importorskip("starlette")


@pytest.fixture
def model(trained_folders, tmp_path):
    return shutil.copytree(trained_folders[0], tmp_path / "model")


def test_the_map_is_computed_once_with_progress(run_command, model, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    code, shown, progress = run_command("wordrbm", "map", model, "--out", tmp_path / "map.png")
    assert code == 0
    assert "map.png: " in shown
    assert "nearest neighbours" in progress
    assert "100%" in progress
    assert (model / MAP).is_file()
    monkeypatch.setattr(embedding_map, "compute_map", None)  # calling it would fail
    for name, start in (("map.svg", "<?xml"), ("map.html", "<!doctype html>")):
        code, _, progress = run_command("wordrbm", "map", model, "--out", tmp_path / name)
        assert (code, progress) == (0, "")
        assert (tmp_path / name).read_text("utf-8").startswith(start)


def test_another_seed_makes_another_map(run_command, model, tmp_path):
    for seed in (1, 2):
        page = tmp_path / f"{seed}.html"
        done = run_command("wordrbm", "explore", model, "--export", page, "--seed", seed, "--quiet")
        assert done[0] == 0, done
    maps = [(tmp_path / f"{seed}.html").stat().st_size for seed in (1, 2)]
    assert min(maps) > 100_000


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["map", "MODEL", "--out", "map.gif"], "does not end in .png or .svg or .html"),
        (["explore", "MODEL", "--export", "page.txt"], "does not end in .html"),
        (["explore", "MODEL", "--corpus", "OTHER"], "another vocabulary than the model"),
        (["explore", "MODEL", "--classifier", "MODEL"], "classifier"),
        (["explore", "MODEL", "--tagger", "MODEL"], "tagger"),
        (["explore", "MODEL", "--no-browser", "--port", "PORT"], "give --port 0 for a free one"),
        (["explore", "absent"], "absent"),
    ],
)
def test_faults_are_one_sentence(run_command, model, tmp_path, words, sentence):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        places = {"MODEL": model, "PORT": taken.getsockname()[1]}
        if "OTHER" in words:
            places["OTHER"] = prepared(tmp_path, stories=8).path
        code, _, said = run_command(
            "wordrbm", *(places.get(word, word) for word in words), "--quiet"
        )
    assert code == 2
    assert sentence in said
    assert len(said.strip().splitlines()) == 1


def test_the_demo_ends_by_naming_the_page(monkeypatch, capsys, tmp_path, trained_folders):
    """The last lines of the demo name the command, with the folders that it made."""
    (tmp_path / "corpus").symlink_to(trained_folders[1])
    (tmp_path / "model").symlink_to(trained_folders[0])
    monkeypatch.setattr("wordrbm.cli.train.make_run", lambda *_: None)
    monkeypatch.setattr("wordrbm.cli.train.run_with_progress", lambda *_, **__: None)
    demo.demo(out=tmp_path, quiet=True)
    command = f"wordrbm explore {tmp_path / 'model'} --corpus {tmp_path / 'corpus'}"
    assert command in capsys.readouterr().out
