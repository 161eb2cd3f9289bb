import numpy as np
from scipy import sparse

from wordrbm.tasks.sentiment.teaching import Teacher, surest


def test_the_surest_half_of_each_class_is_taught():
    scores = np.array([[3.0, 1, 0], [1.0, 0.9, 0], [0, 5.0, 0], [0, 1.0, 0.5], [0, 0, 1.0]])
    number, label = surest(scores)
    assert number.tolist() == [0, 2]  # half of one document is none
    assert label.tolist() == [0, 1]


def test_only_the_documents_seen_teach():
    """Feature 0 is of class 1 in the documents seen, and of class 0 in the others."""
    seen = np.arange(20)
    label = np.r_[np.arange(20) % 2, (np.arange(200) + 1) % 2]
    kind = np.r_[label[:20], 1 - label[20:]]
    labelled = sparse.csr_matrix(np.stack([kind, 1 - kind], axis=1).astype(np.float32))
    unlabelled = sparse.csr_matrix(np.repeat([[1, 0], [0, 1]], 4, axis=0).astype(np.float32))
    number, taught = Teacher(labelled, unlabelled, label).teach(seen)
    assert (taught == (number < 4)).all()
    assert len(number) == 4
    again, turned = Teacher(labelled, unlabelled, label).teach(np.arange(220))
    assert (turned == (again >= 4)).all()
