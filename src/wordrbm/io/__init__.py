"""Learnt things on disk. Importing this package loads no sampler, no trainer, no compiled code."""

from wordrbm.io.vectors import Vectors, load_vectors

__all__ = ["Vectors", "load_vectors"]
