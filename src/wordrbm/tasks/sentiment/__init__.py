"""The paper's sentiment experiment, on any folder of documents with classes."""
