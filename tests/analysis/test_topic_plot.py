"""The plot of topics: a file of the right kind, the same bytes each time."""

import pytest

from wordrbm.analysis.topic_plot import Topic, plot_topics, topics_figure
from wordrbm.errors import WordRBMError

TOPICS = [
    Topic(0, ["boat", "$wind$", "wave"], [2.0, 1.5, 1.0], 0.31),
    Topic(1, ["salt", "oven", "日本"], [1.0, 0.2, -0.4], None),
]


@pytest.mark.parametrize(("name", "first"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml")])
def test_the_same_topics_give_the_same_bytes(tmp_path, name, first):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        plot_topics(TOPICS, "lift", tmp_path / folder / name)
    one, two = ((tmp_path / folder / name).read_bytes() for folder in ("x", "y"))
    assert one == two
    assert one.startswith(first)


def test_every_topic_has_a_panel():
    figure = topics_figure([topic._replace(number=k) for k in range(4) for topic in TOPICS], "lift")
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[:2] == ["topic 0, NPMI 0.31", "topic 0"]
    assert len([title for title in titles if title]) == 8


def test_another_kind_is_refused(tmp_path):
    with pytest.raises(WordRBMError, match="is neither"):
        plot_topics(TOPICS, "lift", tmp_path / "a.gif")
