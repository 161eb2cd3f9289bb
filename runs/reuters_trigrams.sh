#!/usr/bin/env bash
# The paper's trigram model at K = 100,000: corpus, model, held-out scores, likelihood and neighbours.
#
#   runs/reuters_trigrams.sh DATA [OUT]
#
# DATA holds folders of JSON lines with news and encyclopaedia text (here `reuters_news` and
# `enwiki`, about 80 M tokens); any other folders of text do as well. Two cores, at most 25 minutes.
set -euo pipefail
data=${1:?give the folder that holds reuters_news and enwiki}
out=${2:-out/reuters_trigrams}
mkdir -p "$out"

measured() { # peak memory and time of a step, where GNU time is there to tell
  if [ -x /usr/bin/time ]; then /usr/bin/time -f "%E elapsed, %M KB at most" "$@"; else "$@"; fi
}

# One story of reuters_news spells NUL, which text never has: it is replaced, and counted.
measured wordrbm prepare "$data/reuters_news" "$data/enwiki" --out "$out/corpus" \
  --vocabulary-size 100000 --encoding-errors replace --json | tee "$out/prepare.json"
# Scored below on other held-out windows than the 500 that a run scores itself by.
measured wordrbm train "$out/corpus" --out "$out/model" \
  --window 3 --dimension 50 --hidden 250 --mh-steps 100 --windows "${WINDOWS:-50000000}" \
  --threads 2 --json | tee "$out/train.json"
wordrbm evaluate "$out/model" "$out/corpus" --windows 699 --trigrams --json | tee "$out/scores.json"
wordrbm likelihood "$out/model" "$out/corpus" --trigrams --json | tee "$out/likelihood.json"
wordrbm neighbours "$out/model" could spokeswoman suspects science china mother sunday tom \
  actually probably quickly earned what hotel --groups | tee "$out/neighbours.txt"

# How many tokens of CoNLL-2000 the vocabulary covers, where that folder is there too.
if [ -d "$data/conll2000" ]; then
  python - "$out/corpus" "$data"/conll2000/{train,test}.txt <<'PY' | tee "$out/coverage.txt"
import sys
from pathlib import Path
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.tokenizer import normalize_token

known = PreparedCorpus.open(Path(sys.argv[1])).vocabulary.index
lines = [line for path in sys.argv[2:] for line in Path(path).read_text().splitlines() if line]
inside = sum(normalize_token(line.split()[0]) in known for line in lines)
print(f"{inside / len(lines):.2%} of {len(lines):,} CoNLL-2000 tokens are in the vocabulary")
PY
fi
