#!/usr/bin/env bash
# The five switches on one proof, interpreted: founding_story.sh BUILD DIR [diagnose options]. Writes report.html,
# report.json, state.jsonl and, where there is a headless Chromium, report.png into DIR. Goes on where it was
# stopped. CIRCUIT (porep-2k), PARAMS (DIR/params).
set -euo pipefail
build=$(cd "$1" && pwd) dir=$2
shift 2
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
circuit=${CIRCUIT:-porep-2k} params=${PARAMS:-$dir/params}
mkdir -p "$params"
stem=$("$build/cuzk" circuits | awk -v c="$circuit" '$1 == c {print $NF}')
[ -f "$params/$stem.params" ] || "$build/cuzk" params make "$circuit" --insecure-test-secrets --out "$params"
[ -d "$dir/$circuit" ] || "$build/cuzk" synth request "$circuit" --out "$dir/$circuit"
cd "$dir" # where the request is, so that the report says "porep-2k"
"$build/cuzk" diagnose --switches A1,A2,A4,B1,D4 --workload "$circuit" --synth interpreted --params "$params" \
    --state state.jsonl --resume --report report.html --out report.json --max-time 3600 "$@"
for chromium in chromium-headless-shell chromium; do
    command -v "$chromium" >/dev/null || continue
    "$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=980,2400 \
        --screenshot=report.png "file://$dir/report.html" 2>/dev/null
    break
done
