"""Texts of all that the rules of words and sentences look at, in any order."""

from hypothesis import strategies as st

MARKS = [*"'\"'\"`.,:;?!-()[]{}<>*=~_&%$#@/", "''", "``", "--", "...", ". . .", "....", "' "]
TYPOGRAPHIC = [*"«»“”‘’„–—…£\x85\x93\x94\x96\u2012\u2212\u200b\ue000\x00"]
SPACES = [*" \n\t\v\x1c\u00a0\u2028", "  ", "\n\n", " \n"]
CHARACTERS = [*"aAsSmtdnZxé1590٣²_", "ſ", "İ", "ı", "Σ", "ΑΣ", "e\u0301", "K"]
WORDS = ["cannot", "gimme", "Wanna", "'tis", "'TWAS", "more'n", "d'ye", "n't", "'ll", "'s", "'em"]
WORDS += ["em", "n", "80s", "'80s", "80", "1,000", "S&P", "US$", "C$ 5", "20%-owned", "<br />"]
WORDS += ["The", "the", "He", "he", "end", "end.The", "Smith", "Mr.", "no.", "No.", "No.5", "J."]
WORDS += ["U.S.", "U.S", "e.g.", "p.m.", "ex-Gen.", "5.", "I", "A."]
PARTS = [*MARKS, *TYPOGRAPHIC, *SPACES, *CHARACTERS, *WORDS]

# Every other part is a space, or there would hardly be a word of its own.
parts = st.sampled_from(PARTS) | st.just(" ")
texts = st.lists(parts, max_size=30).map("".join) | st.text(max_size=40)
