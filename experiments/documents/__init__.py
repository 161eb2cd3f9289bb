"""Topic models of whole documents: 20 Newsgroups by the replicated softmax and by LDA."""
