#!/usr/bin/env bash
# The paper's table 2 and beyond: class models on the Large Movie Review data.
#
#   runs/sentiment.sh DATA [OUT]
#
# DATA holds train_{pos,neg,unsup}.jsonl.gz and test_{pos,neg}.jsonl.gz, or train/pos/*.txt and so
# on as the data set is published. Three seeds; the second step keeps what the first has trained, and
# the two together train for 70 minutes on two busy cores; fitting takes 30. The third compares vocabularies, among them
# the paper's, words seen 235 times or more, after a fifth of the training.
set -euo pipefail
data=${1:?give the folder of the Large Movie Review data}
out=${2:-out/sentiment}
seeds=${SEEDS:-1,2,3}
mkdir -p "$out"

wordrbm sentiment --data "$data" --out "$out" --seeds "$seeds" | tee "$out/labelled.txt"
wordrbm sentiment --data "$data" --out "$out" --seeds "$seeds" --unlabelled | tee "$out/all.txt"
wordrbm sentiment --data "$data" --out "$out/vocabularies" --min-count 235,50,10,2 \
  --windows 1000000 --background 1000000 | tee "$out/vocabularies.txt"
