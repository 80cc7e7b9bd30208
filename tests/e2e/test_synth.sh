# Requests without a sealed sector: cuzk's circuits are satisfied by them, and the established verifier
# accepts them and computes the same witness. CUZK_E2E_FULL=1 adds 512 MiB Snap and 32 GiB (6 GB of memory
# and half an hour on two cores).
. "$E2E/lib.sh"
oracle=$SHARED/tools/fil-oracle
[ -x "$oracle" ] || skip "comparison with fil-oracle: $oracle is not here"

# holds CIRCUIT OPTIONS...: make a request, check its first partition here and there.
holds() {
    local dir=$work/$1 name="$*" ours theirs
    rm -rf "$dir"
    if ! "$CUZK" synth request "$@" --out "$dir" >"$work/log" 2>&1; then
        fail "synth request $name: $(cat "$work/log")"
        return
    fi
    ours=$("$CUZK" circuit witness "$dir" 2>&1 | grep '^partition 0:')
    case $ours in
    *" satisfied "*) pass "$name: cuzk finds partition 0 satisfied" ;;
    *) fail "$name: cuzk says $ours" ;;
    esac
    [ -x "$oracle" ] || return
    if "$oracle" check "$dir" 1 >"$work/check" 2>&1; then
        theirs=$(grep '^partition 0: inputs' "$work/check")
        same "$name: fil-oracle accepts it, with the same witness" "$theirs" "$ours"
    else
        fail "$name: fil-oracle check: $(tail -3 "$work/check")"
    fi
}

for seed in 0 18446744073709551615; do
    for kind in porep winning wpost snap; do
        holds $kind-2k --seed $seed
    done
done
for circuit in porep-8m winning-8m wpost-8m snap-8m porep-512m winning-512m wpost-512m winning-32g; do
    holds $circuit --seed 1
done
holds porep-2k --type StackedDrg2KiBV1 --sector 8589934599 --miner 1048576
holds wpost-2k --type StackedDrgWindow2KiBV1 --sectors 5
if [ "${CUZK_E2E_FULL:-0}" = 1 ]; then
    for circuit in snap-512m porep-32g snap-32g wpost-32g; do
        holds $circuit --seed 1
    done
else
    skip "snap-512m and 32 GiB: set CUZK_E2E_FULL=1"
fi

# A proof of a synthetic request is a proof like any other.
params_for wpost-2k
"$CUZK" synth request wpost-2k --partitions 2 --out "$work/two" >"$work/log" 2>&1 ||
    fail "synth request: $(cat "$work/log")"
exits "prove a synthetic request" 0 "" \
    "$CUZK" prove "$work/two" --out "$work/proof" --params "$PARAMS"
exits "cuzk verifies the proof" 0 "" "$CUZK" verify "$work/two" "$work/proof" --params "$PARAMS"
if [ -x "$oracle" ]; then
    FIL_PROOFS_PARAMETER_CACHE=$PARAMS exits "Filecoin's verifier accepts the proof" 0 "" \
        "$oracle" verify "$work/two" "$work/proof"
fi

"$CUZK" synth request wpost-8m --seed 5 --threads 1 --out "$work/a" >/dev/null 2>&1
"$CUZK" synth request wpost-8m --seed 5 --threads 2 --out "$work/b" >/dev/null 2>&1
"$CUZK" synth request wpost-8m --seed 6 --out "$work/c" >/dev/null 2>&1
if diff -r "$work/a" "$work/b" >/dev/null; then pass "same seed, same bytes"; else fail "same seed differs"; fi
if cmp -s "$work/a/sector-1.vanilla" "$work/c/sector-1.vanilla"; then fail "seeds do nothing"; fi

exits "a folder that holds a request" 5 "request.json is there already" \
    "$CUZK" synth request wpost-8m --out "$work/a"
exits "an unknown circuit" 2 "porep-3k" "$CUZK" synth request porep-3k --out "$work/x"
exits "synthetic challenges" 10 "StackedDrg2KiBV1_1," "$CUZK" synth request porep-2k \
    --type StackedDrg2KiBV1_1_Feat_SyntheticPoRep --out "$work/x"
exits "two meanings" 2 "not both" "$CUZK" synth request wpost-2k --sectors 2 --partitions 1 --out "$work/x"
exits "more partitions than there are" 2 "has 4" \
    "$CUZK" synth request snap-8m --partitions 5 --out "$work/x"
exits "no folder" 64 "wants --out DIR" "$CUZK" synth request wpost-2k
exits "a number that is none" 64 "seed" "$CUZK" synth request wpost-2k --seed x --out "$work/x"
exits "no verb" 64 "synth request CIRCUIT" "$CUZK" synth
if python3 -c 'import json,sys; r=json.load(sys.stdin); sys.exit(not (r["ok"] and r["sectors"]==4))' \
    < <("$CUZK" synth request wpost-2k --partitions 2 --json --out "$work/j" 2>/dev/null); then
    pass "JSON result"
else
    fail "JSON result"
fi
done_testing
