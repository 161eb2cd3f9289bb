"""A made-up folder of documents with classes, small enough for any test."""

from tests.estimators.test_word_features import classified

NAMES = ("money", "animals")


def write_reviews(folder, count=120, test=40, unlabelled=20):
    """Write labelled documents, of which some are for testing, and unlabelled ones."""
    texts, kind = classified(count + unlabelled)
    for number, text in enumerate(texts):
        part = "test" if number < test else "train"
        name = NAMES[kind[number]] if number < count else "unsup"
        path = folder / part / name / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}<br />{text}")
    return folder
