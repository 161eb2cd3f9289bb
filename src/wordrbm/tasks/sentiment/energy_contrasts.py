"""Energies of documents by hidden unit, so that each unit can have a weight of its own.

    F(v) = e_0(v) + sum_j e_j(v),   e_0 = -sum_i b[v_i],   e_j = -log(1 + exp x_j(v))

Class models that start from one pre-trained model keep its units, so unit j is the same detector in
every class, and e_j differs between classes as far as the classes do. The free energy weighs all
units alike; a linear layer over the means of e_j learns which of them discriminate.
"""

import numpy as np
from jaxtyping import Float32, Float64

from wordrbm.classification.class_models import ClassModels, Pause, unit_energies
from wordrbm.classification.documents import DocumentIds
from wordrbm.inference.precision import one_blas_thread


def centered_unit_energies(
    models: ClassModels,
    centers: Float64[np.ndarray, "C terms"],
    documents: DocumentIds,
    pause: Pause = lambda: None,
) -> Float32[np.ndarray, "N C terms"]:
    """The terms of each document's mean free energy, less their centres; 0 if it is empty."""
    energies = np.zeros((len(documents), *centers.shape), np.float32)
    with one_blas_thread():
        for number in documents.nonempty().tolist():
            pause()
            terms = [unit_energies(model.rbm, documents[number]) for model in models.models]
            energies[number] = np.stack(terms) - centers
    return energies
