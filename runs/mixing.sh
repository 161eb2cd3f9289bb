#!/usr/bin/env bash
# How well chains mix, in a trigram and a 5-gram model at K = 100,000: figure 2 of the paper for each
# operator, the table of operators, and whether it matters for learning.
#
#   runs/mixing.sh CORPUS TRIGRAMS [OUT]
#
# CORPUS and TRIGRAMS are out/reuters_trigrams/corpus and .../model of runs/reuters_trigrams.sh. The
# 5-gram model takes longest: 50 M windows took 17 minutes on two busy cores. Quoted in docs/ is
# SECONDS_EACH=55.
set -euo pipefail
corpus=${1:?give the corpus that runs/reuters_trigrams.sh prepared}
trigrams=${2:?give the model that it trained}
out=${3:-out/mixing}
mkdir -p "$out"

if [ ! -e "$out/fivegrams/model.safetensors" ]; then
  wordrbm train "$corpus" --out "$out/fivegrams" --window 5 --windows "${WINDOWS:-50000000}" \
    --threads 2 --evaluations 2 --resume --json | tee "$out/fivegrams.json"
fi
for name in trigrams fivegrams; do
  model=$([ "$name" = trigrams ] && echo "$trigrams" || echo "$out/fivegrams")
  python -m experiments mixing "$model" "$corpus" --out "$out/$name-mixing" --cases "${CASES:-6}" \
    --operators paper,unigram,power,uniform,clusters,fine | tee "$out/$name-mixing.txt"
done
# Learning at equal time on one thread for each, three seeds; the variants are in runs/sweep.py.
python "$(dirname "$0")/sweep.py" "$corpus" "$out/learning.jsonl" --seconds "${SECONDS_EACH:-180}" \
  --seeds 1 2 3 --only default paper "steps 50" "twice 50" "four times 25"
