"""Taggers of column data: a linear-chain CRF over words, word vectors and hidden units."""
