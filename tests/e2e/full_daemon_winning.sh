# Long tier: the daemon's proofs of the same request with the published r and s are the same bytes, a thousand
# times, four at once beside other kinds (F11, F22); all of one priority, or an endless row of WinningPoSt would let
# nothing else pass.
. "$E2E/lib.sh"
cd "$ROOT"
proofs=${CUZK_PROOFS:-1000}
for circuit in winning-2k wpost-2k; do params_for "$circuit"; done
export address=unix://$work/s work
daemon=
cleanup() { [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; }
"$CUZK" serve --listen "$address" --http "" --params "$PARAMS" --insecure-test-rs --preload winning-2k 2>"$work/log" &
daemon=$!
for _ in $(seq 100); do "$CUZK" status --address "$address" >/dev/null 2>&1 && break; sleep 0.1; done

# prove REQUEST N: digests of N proofs, four at once
prove() {
    seq "$2" | xargs -P 4 -I{} "$CUZK" submit "tests/data/$1" --priority 3 --id "$1-{}" --out "$work/$1-{}" --address "$address" \
        >"$work/$1.log" 2>&1 || fail "$1: $(grep -v 'ms' "$work/$1.log" | head -3)"
    sha256sum "$work/$1"-* | cut -d' ' -f1 | sort | uniq -c
    rm -f "$work/$1"-*
}
want() { cat "tests/data/$1"/golden-*.proof | sha256sum | cut -d' ' -f1; }
prove window-2k-3-v1 $((proofs / 10)) >"$work/window.sums" &
other=$!
begin=$SECONDS
prove winning-2k "$proofs" >"$work/winning.sums"
seconds=$((SECONDS - begin))
wait $other
same "F11 $proofs WinningPoSt proofs in $seconds s: one SHA-256" "$proofs $(want winning-2k)" \
    "$(echo $(cat "$work/winning.sums"))"
same "F22 $((proofs / 10)) WindowPoSt proofs beside them" "$((proofs / 10)) $(want window-2k-3-v1)" \
    "$(echo $(cat "$work/window.sums"))"
kill "$daemon"
wait "$daemon"
same "exit code" 0 "$?"
daemon=
done_testing
