import sys
import warnings

import numpy as np
import pytest

from wordrbm.analysis.history import Run
from wordrbm.analysis.plots import PANELS, plot_runs, runs_figure
from wordrbm.errors import WordRBMError

pytest.importorskip("matplotlib")


def made_up(name, count=12, **other):
    """A run that goes well."""
    records = [
        {
            "step": step, "windows": 500_000 * step, "word_rate": 0.02 / step,
            "hidden_rate": 0.03 / step, "acceptance": 0.7 / step, "cloze_perplexity": 900 / step,
            "unigram_perplexity": 1000.0, "free_energy_gap": (-1.0) ** step,
            "jump_acceptance": 0.1 / step, "joint_bound": -15.0 - 1 / step, "unigram_joint": -20.0,
            "ten_heaviest": 0.1 / step, "ten_heaviest_text": 0.01, **other,
        }
        for step in range(1, count + 1)
    ]  # fmt: skip
    return Run(name, records)


def lines(axes):
    """The curves of a panel that hold points of their own."""
    return [line.get_xydata() for line in axes.lines if len(line.get_xdata()) > 2]


def test_each_panel_shows_its_numbers_over_millions_of_windows():
    run = made_up("mine", windows_per_second=7e4)
    figure = runs_figure([run])
    assert figure.get_suptitle() == "mine"
    assert len(figure.axes) == len(PANELS)
    for axes, panel in zip(figure.axes, PANELS.values(), strict=True):
        assert axes.get_title(loc="left") == panel.title
        assert axes.get_xlabel() == "millions of windows read"
        for drawn, curve in zip(lines(axes), panel.curves, strict=True):
            np.testing.assert_allclose(drawn[:, 0], 0.5 * np.arange(1, 13))
            np.testing.assert_allclose(drawn[:, 1], [record[curve.field] for record in run.records])
    assert figure.axes[0].get_yscale() == "log"


def test_without_times_there_is_no_speed():
    assert len(runs_figure([made_up("mine")]).axes) == len(PANELS) - 1


def test_older_runs_have_no_panels_of_the_joint():
    bare = dict.fromkeys(["joint_bound", "ten_heaviest", "unigram_joint", "ten_heaviest_text"])
    titles = [axes.get_title(loc="left") for axes in runs_figure([made_up("old", **bare)]).axes]
    assert len(titles) == len(PANELS) - 3
    assert PANELS["heaviest"].title not in titles


def test_runs_have_a_legend_of_names_even_odd_ones():
    names = ["one", "$two_{", "_three"]
    figure = runs_figure([made_up(name) for name in names])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == names
    assert len(lines(figure.axes[3])) == 3


@pytest.mark.parametrize(
    ("suffix", "first"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("PNG", b"")]
)
def test_the_same_runs_give_the_same_bytes(tmp_path, suffix, first):
    runs = [made_up("one"), made_up("$two_{", windows_per_second=7e4)]
    for name in ("a", "b"):
        plot_runs(runs, tmp_path / f"{name}.{suffix}")
    one, two = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("a", "b"))
    assert one.startswith(first)
    assert one == two
    assert len(list(tmp_path.iterdir())) == 2, "nothing is left beside them"


def test_a_plot_leaves_no_state_behind(tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    plot_runs([made_up("mine")], tmp_path / "a.svg")
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("count", [1, 2, 500])
def test_a_run_of_any_length_is_drawn_without_a_warning(tmp_path, count):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot_runs([made_up("mine", count)], tmp_path / "a.png")


def test_numbers_that_are_not_there_are_left_out(tmp_path):
    bare = Run("bare", [{"step": 1, "windows": None}, {"step": 2, "windows": 7.0}])
    odd = made_up("odd", cloze_perplexity=0.0, unigram_perplexity=1e99, free_energy_gap=None)
    plot_runs([bare, odd], tmp_path / "a.png")


@pytest.mark.parametrize("name", ["a.jpg", "a", "png"])
def test_another_image_format_is_refused(tmp_path, name):
    with pytest.raises(WordRBMError, match=r"neither \.png nor \.svg"):
        plot_runs([made_up("mine")], tmp_path / name)


def test_without_matplotlib_the_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(WordRBMError, match=r"pip install 'wordrbm\[plots\]'"):
        plot_runs([made_up("mine")], tmp_path / "a.png")
    assert not any(tmp_path.iterdir())
