"""How likely a text is under a model: log Z by annealed importance sampling, and bounds."""
