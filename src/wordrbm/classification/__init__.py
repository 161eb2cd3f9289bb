"""Document classifiers: one RBM per class, free energies, a logistic head over them."""
