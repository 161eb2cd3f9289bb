#!/usr/bin/env bash
# Table 2 of the paper and beyond: class models on the Large Movie Review data.
#
#   runs/sentiment.sh DATA [OUT]
#
# DATA holds train_{pos,neg,unsup}.jsonl.gz and test_{pos,neg}.jsonl.gz, and train_urls_{pos,neg}.txt.gz
# with the film of each review: folds keep films together, as the test set does. Results stay in OUT, so
# that a later step uses those of an earlier one:
#
#   1  the labelled rows, three seeds
#   2  class models pre-trained on the unlabelled reviews too
#   3  trigrams beside 5-grams, one seed
#   4  vocabularies, among them the paper's (words seen 235 times or more)
#   5  self-training on the unlabelled reviews, one seed or those of SELF_TRAINING_SEEDS
#
# STEPS="1" runs the first one alone.
set -euo pipefail
data=${1:?give the folder of the Large Movie Review data}
out=${2:-out/sentiment}
seeds=${SEEDS:-1,2,3}
steps=${STEPS:-1 2 3 4 5}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"

table() { # a name, then further options of `python -m experiments sentiment`
  local name=$1
  shift
  PYTHONPATH=$root python -m experiments sentiment --data "$data" --groups "train_urls_{}.txt.gz" \
    --hidden 100 --out "$out" "$@" | tee "$out/$name.txt"
}

for step in $steps; do
  case $step in
    1) table labelled --seeds "$seeds" --min-count 50 --without-frequent 50 ;;
    2) table unlabelled --seeds "$seeds" --min-count 50 --pretrain-unlabelled ;;
    3) table windows --min-count 50 --window 5,3 ;;
    4) table vocabularies --out "$out/vocabularies" --min-count 235,50,10,2 ;;
    5) table self-training --seeds "${SELF_TRAINING_SEEDS:-1}" --min-count 50 --self-training ;;
  esac
done
