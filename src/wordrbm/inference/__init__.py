"""A trained model on new text: features, energies, surprisal, blanks, samples."""
