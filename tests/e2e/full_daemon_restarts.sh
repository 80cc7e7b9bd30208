# Long tier: kill -9 and restart 50 times (C03, B12), while it starts, loads and proves. It always comes up, and
# no parameter file is touched.
. "$E2E/lib.sh"
cd "$ROOT"
rounds=${CUZK_ROUNDS:-50}
params_for winning-2k
params_for porep-2k
address=unix://$work/s
daemon=
cleanup() { [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; }
# of every file: digest, inode, size, times of data and of anything at all
touched() { for f in "$PARAMS"/*; do sha256sum "$f"; stat -c '%n %i %s %y %z' "$f"; done; }
up() {
    for _ in $(seq 300); do
        "$CUZK" status --address "$address" >/dev/null 2>&1 && return
        kill -0 "$daemon" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

touched >"$work/before"
n_up=0 slowest=0
for round in $(seq "$rounds"); do
    begin=$(date +%s%N)
    "$CUZK" serve --listen "$address" --http "" --params "$PARAMS" --preload porep-2k \
        --set "srs.verdict_cache_dir=$work/verdicts" 2>"$work/log" &
    daemon=$!
    if up; then n_up=$((n_up + 1)); else fail "round $round: $(tail -3 "$work/log")"; fi
    ms=$((($(date +%s%N) - begin) / 1000000))
    [ "$ms" -le "$slowest" ] || slowest=$ms
    "$CUZK" submit tests/data/winning-2k --no-wait --id "$round" --address "$address" >/dev/null 2>&1
    [ $((round % 3)) != 0 ] || "$CUZK" submit tests/data/porep-2k-a --no-wait --address "$address" >/dev/null 2>&1
    sleep "0.$((RANDOM % 10))"
    kill -9 "$daemon"
    wait "$daemon" 2>/dev/null
    daemon=
done
same "comes up after kill -9 ($rounds times, slowest $slowest ms)" "$rounds" "$n_up"
touched >"$work/after"
if cmp -s "$work/before" "$work/after"; then
    pass "no parameter file is touched"
else
    fail "parameter files: $(diff "$work/before" "$work/after" | head -5)"
fi

"$CUZK" serve --listen "$address" --http "" --params "$PARAMS" --set "srs.verdict_cache_dir=$work/verdicts" 2>"$work/log" &
daemon=$!
up || fail "the last start: $(tail -3 "$work/log")"
exits "and then proves" 0 "" "$CUZK" submit tests/data/winning-2k --out "$work/proof" --address "$address"
exits "rightly" 0 "" "$CUZK" verify tests/data/winning-2k "$work/proof" --params "$PARAMS"
kill "$daemon"
wait "$daemon"
same "exit code" 0 "$?"
daemon=
done_testing
