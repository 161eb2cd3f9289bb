"""Table 1: word vectors and hidden units as features of a tagger, CoNLL-2000 chunking."""
