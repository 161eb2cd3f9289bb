import numpy as np

from tests.classification.test_class_models import (  # noqa: F401 - fixtures
    LABEL,
    documents,
    models,
    unit_energies_by_loops,
)
from wordrbm.classification.class_models import ClassModels, unit_centers
from wordrbm.tasks.sentiment.energy_contrasts import centered_unit_energies


def test_energies_by_unit_are_the_terms_of_the_free_energy(documents, models):  # noqa: F811
    centers = np.random.default_rng(5).normal(size=(2, 6))
    both = ClassModels(models, centers.sum(axis=1))
    energies = centered_unit_energies(both, centers, documents)
    np.testing.assert_allclose(energies.sum(axis=2), both.energies(documents), atol=1e-5)
    for terms, ids in zip(energies, documents, strict=True):
        for c, model in enumerate(models):
            expected = np.zeros(6)
            if ids.size:
                expected = unit_energies_by_loops(model.rbm, ids) - centers[c]
            np.testing.assert_allclose(terms[c], expected, rtol=1e-5, atol=1e-5)


def test_the_mean_of_every_unit_is_zero_between_the_classes(documents, models):  # noqa: F811
    centers = unit_centers(models, documents, LABEL)
    energies = centered_unit_energies(ClassModels(models, np.zeros(2)), centers, documents)
    class_means = [energies[[0, 2, 4]].mean(axis=0), energies[3]]
    np.testing.assert_allclose(np.mean(class_means, axis=0), 0, atol=1e-5)
