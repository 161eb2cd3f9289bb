#!/usr/bin/env bash
# Periodic averaging beside exact training after the same number of windows: cloze perplexity and joint likelihood.
#
#     runs/periodic.sh PREPARED OUT [WINDOWS [UPDATES [SEED]]]
set -euo pipefail
prepared=$1 out=$2 windows=${3:-4000000} updates=${4:-100} seed=${5:-1}
mkdir -p "$out"
for world in 1 2 4; do
  shared=()
  if [ "$world" -gt 1 ]; then shared=(--processes "$world" --average-every "$updates"); fi
  wordrbm train "$prepared" --out "$out/$world" --windows "$windows" --seed "$seed" --threads 1 --evaluations 4 \
    "${shared[@]}"
  wordrbm evaluate "$out/$world" "$prepared" --windows 2000 --json > "$out/$world.cloze.json"
  wordrbm likelihood "$out/$world" "$prepared" --threads 1 --json > "$out/$world.json"
  tail -n 1 "$out/$world/metrics.jsonl"
done
