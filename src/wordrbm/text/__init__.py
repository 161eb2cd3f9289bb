"""Strings to word ids: files, tokens, vocabulary, prepared corpora, windows. Sees no weight."""
