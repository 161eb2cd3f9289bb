#!/usr/bin/env bash
# The paper's table 1: word vectors and hidden units as features of a tagger on CoNLL-2000.
#
#   runs/chunking.sh DATA [OUT]
#
# DATA holds reuters_news, enwiki and conll2000 (with turian/, the partition of Turian et al. 2010).
# From text to table: the corpus, smaller runs of several sizes compared on the dev set alone, the
# models, word2vec on the same corpus, the grid of taggers. Run it with the environment of the repository. What is finished is kept, so the script can
# be stopped and run again.
set -euo pipefail
data=${1:?give the folder that holds reuters_news, enwiki and conll2000}
out=${2:-out/chunking}
windows=${WINDOWS:-100000000}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"

if [ ! -e "$out/corpus/manifest.json" ]; then
  # One story of reuters_news spells NUL, which text never has: it is replaced, and counted.
  wordrbm prepare "$data/reuters_news" "$data/enwiki" --out "$out/corpus" \
    --vocabulary-size 100000 --encoding-errors replace --json | tee "$out/prepare.json"
fi
trained() { # a name, windows, then the options of `wordrbm train`
  local name=$1 count=$2; shift 2
  [ -e "$out/$name/model.safetensors" ] || wordrbm train "$out/corpus" --out "$out/$name" \
    --windows "$count" --threads 2 --evaluations 4 --resume --json "$@" | tee "$out/$name.json"
}
compared() { # a folder, then the options of `python -m experiments chunking`
  local name=$1; shift
  PYTHONPATH=$root python -m experiments chunking --data "$data/conll2000" --out "$out/$name" \
    --dev "$data/conll2000/turian/dev-partition.txt.gz" "$@"
}

sizes=()
for size in "3 250 50" "3 500 50" "3 1000 50" "3 250 100" "5 250 50"; do
  read -r n H d <<< "$size"
  name=small-n$n-H$H-d$d
  trained "$name" "${SCREEN:-10000000}" --window "$n" --hidden "$H" --dimension "$d"
  sizes+=(--model "$out/$name")
done
# Sizes are compared with fine-tuned hidden units, which take seconds, not minutes.
compared sizes "${sizes[@]}" --features fine-tuned --penalties 0.1,0.2 --dev-only | tee "$out/sizes.txt"

models=()
for seed in ${SEEDS:-1 2 3}; do
  trained "wrrbm3-seed$seed" "$windows" --window 3 --seed "$seed"
  models+=(--model "$out/wrrbm3-seed$seed")
done
trained wrrbm5 "$windows" --window 5
python "$(dirname "$0")/word2vec.py" "$out/corpus" "$out"
compared finetuned "${models[@]}" --features fine-tuned,ensemble --iobes --penalties "${FINETUNED:-0.05,0.1,0.2,0.4}" \
  | tee "$out/finetuned.txt"
compared grid "${models[@]}" --model "$out/wrrbm5" --features words,vectors,hidden \
  --vectors "$out/skipgram.txt" --vectors "$out/cbow.txt" \
  ${PENALTIES:+--penalties "$PENALTIES"} --crfsuite | tee "$out/table.txt"
