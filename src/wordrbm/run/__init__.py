"""Whole trainings: from a prepared corpus to a model folder, or from windows in memory."""
