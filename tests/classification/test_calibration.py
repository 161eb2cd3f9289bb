"""Contrasts of energies, and the logistic head over them."""

import subprocess
import sys

import numpy as np

from wordrbm.classification.calibration import LogisticHead, contrast, contrast_count


def test_contrasts_between_classes():
    energies = np.random.default_rng(7).normal(size=(2, 3, 4))
    two = energies[:, :2]
    np.testing.assert_allclose(contrast(two), two[:, 0] - two[:, 1])
    np.testing.assert_allclose(contrast(two[..., 0]), (two[:, 0] - two[:, 1])[:, :1])
    for document, contrasts in zip(energies, contrast(energies), strict=True):
        expected = [[x - document[:, j].mean() for j, x in enumerate(row)] for row in document]
        np.testing.assert_allclose(contrasts, np.ravel(expected))
    assert contrast(np.zeros((0, 3, 4))).shape == (0, 12)
    assert contrast(np.ones((4, 2))).shape == (4, contrast_count(2)) == (4, 1)
    np.testing.assert_allclose(contrast(np.array([[1.0, 2.0, 6.0]])), [[-2, -1, 3]])
    assert contrast_count(3) == 3


def test_three_classes_contribute_relative_to_their_mean():
    head = LogisticHead(np.zeros(3), np.ones(3), -np.eye(3), np.zeros(3))
    contributions = head.contributions(np.array([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(contributions, [[1.0, 0.5, -1.5], [0, 0, 0]])


def test_what_speaks_for_one_of_two_classes_speaks_against_the_other():
    head = LogisticHead(np.array([1.0]), np.array([2.0]), np.array([[4.0]]), np.array([0.3]))
    contributions = head.contributions(np.array([[3.0], [-3.0]]))
    np.testing.assert_allclose(contributions, [[-1.5, 1.5], [1.5, -1.5]])


def test_the_head_finds_the_threshold():
    rng = np.random.default_rng(0)
    label = rng.integers(2, size=4000)
    difference = 3.0 + 2.0 * label + rng.normal(size=4000)
    head = LogisticHead.fit(difference[:, None], label, 100.0)
    p = head.probabilities(np.array([[4.0], [5.0]]))
    np.testing.assert_allclose(p[:, 1], [0.5, 1 / (1 + np.exp(-2))], atol=0.03)


CODE = """
import sys
sys.modules["sklearn"] = None
import numpy as np
from wordrbm.classification import classifier_file, explain
from wordrbm.classification.calibration import LogisticHead
from wordrbm.errors import WordRBMError
head = LogisticHead(np.zeros(1), np.ones(1), np.ones((1, 1)), np.zeros(1))
print(head.probabilities(np.zeros((1, 1))).tolist())
try:
    LogisticHead.fit(np.zeros((2, 1)), np.array([0, 1]), 1.0)
except WordRBMError as error:
    print(error)
"""


def test_without_scikit_learn_a_head_predicts_and_the_extra_is_named():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    first, second = done.stdout.splitlines()
    assert first == "[[0.5, 0.5]]"
    assert "pip install 'wordrbm[sklearn]'" in second, done.stderr
