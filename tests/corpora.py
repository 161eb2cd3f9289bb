"""A small made-up text with something to learn, for tests of the whole path."""

import random

from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.prepare import PrepareSettings
from wordrbm.text.prepare.pipeline import prepare_corpus

SUBJECTS = ["the cat", "the dog", "a bird", "my mother", "the king"]
VERBS = ["eats", "sees", "likes", "finds"]
OBJECTS = ["fish", "bread", "the moon", "an apple", "gold"]
TIMES = ["on monday", "on tuesday", "on friday", "in june", "in july"]


def story(number, sentences=30):
    """A story of simple sentences, always the same for the same number."""
    choose = random.Random(number).choice
    lines = [
        f"{choose(SUBJECTS).capitalize()} {choose(VERBS)} {choose(OBJECTS)} {choose(TIMES)}."
        for _ in range(sentences)
    ]
    return " ".join(lines)


def prepared(folder, stories=60, sentences=30, **settings):
    """A prepared corpus of made-up stories in `folder`/corpus."""
    text = folder / "text"
    text.mkdir(parents=True)
    for number in range(stories):
        (text / f"{number:03d}.txt").write_text(story(number, sentences))
    corpus = folder / "corpus"
    for _ in prepare_corpus([text], corpus, PrepareSettings(**{"heldout": 0.05} | settings), 1):
        pass
    return PreparedCorpus.open(corpus)
