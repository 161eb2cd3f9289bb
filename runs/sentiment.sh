#!/usr/bin/env bash
# The paper's table 2 and beyond: class models on the Large Movie Review data.
#
#   runs/sentiment.sh DATA [OUT]
#
# DATA holds train_{pos,neg,unsup}.jsonl.gz and test_{pos,neg}.jsonl.gz, and train_urls_{pos,neg}.txt.gz
# with the film of each review: folds keep films together, as the test does. Three seeds. The second
# step keeps what the first has trained, and so does the third, which adds trigrams to 5-grams, one
# seed. The fourth compares vocabularies, among them the paper's, words seen 235 times or more. The
# fifth guesses the classes of the unlabelled reviews and learns from them, from the models of the
# first, with one seed or those of GUESS_SEEDS. Set STEPS to "1" to make the labelled rows only.
set -euo pipefail
data=${1:?give the folder of the Large Movie Review data}
out=${2:-out/sentiment}
seeds=${SEEDS:-1,2,3}
steps=${STEPS:-1 2 3 4 5}
common=(--data "$data" --groups "train_urls_{}.txt.gz" --hidden 100)
mkdir -p "$out"

for step in $steps; do
  case $step in
    1) wordrbm sentiment "${common[@]}" --out "$out" --seeds "$seeds" --min-count 50 \
         | tee "$out/labelled.txt" ;;
    2) wordrbm sentiment "${common[@]}" --out "$out" --seeds "$seeds" --min-count 50 --unlabelled \
         | tee "$out/all.txt" ;;
    3) wordrbm sentiment "${common[@]}" --out "$out" --min-count 50 --window 5,3 \
         | tee "$out/windows.txt" ;;
    4) wordrbm sentiment "${common[@]}" --out "$out/vocabularies" --min-count 235,50,10,2 \
         | tee "$out/vocabularies.txt" ;;
    5) wordrbm sentiment "${common[@]}" --out "$out" --seeds "${GUESS_SEEDS:-1}" --min-count 50 \
         --guess | tee "$out/guessed.txt" ;;
  esac
done
