"""Taggers for files of columns: chunks, names, parts of speech."""
