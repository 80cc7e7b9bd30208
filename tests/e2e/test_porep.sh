# PoRep 2 KiB against the established stack: parameters, witness, golden proofs, verification.
# Expected digests: made with the published Rust crates (docs/evidence.md).
. "$E2E/lib.sh"
cd "$ROOT"
request=tests/data/porep-2k-a
params_for porep-2k
stem=$(stem_of porep-2k)

same "params file is bellperson's, byte for byte" \
    cdf7c1fd84032575f50569b34d7b358d02706190430a81031735a43ce91a30e2 \
    "$(sha256sum "$PARAMS/$stem.params" | cut -d' ' -f1)"
same "vk file is bellperson's, byte for byte" \
    ec130c54973716f0c56cbfbfcfa94e1e13ba632fc468066f971503679fb7c35b \
    "$(sha256sum "$PARAMS/$stem.vk" | cut -d' ' -f1)"

"$CUZK" circuit digest porep-2k --blocks "$work/blocks" >"$work/digest"
same "circuit counts" "inputs 40 aux 2685673 rows 2687921" "$(sed -n 1p "$work/digest")"
same "circuit digest" "digest 2c120b1125bd531d5a62b11932b2ae0e0cb47f455cea582994f97534e296bb42" \
    "$(grep '^digest' "$work/digest")"
same "block digests" "$(cat tests/data/r1cs/blocks-porep-2K.txt)" "$(cat "$work/blocks")"

same "witness of porep-2k-a" "$(cat $request/witness.txt)" "$("$CUZK" circuit witness $request)"

for threads in 1 2 3; do
    "$CUZK" prove $request --out "$work/golden" --params "$PARAMS" --insecure-test-rs \
        --threads $threads >"$work/log" 2>&1 || fail "prove: $(cat "$work/log")"
    if cmp -s "$work/golden" $request/golden-0.proof; then
        pass "golden proof with $threads threads"
    else
        fail "golden proof with $threads threads differs"
    fi
done

"$CUZK" prove $request --out "$work/random" --params "$PARAMS" >"$work/log" 2>&1 ||
    fail "prove with random r, s: $(cat "$work/log")"
exits "our verifier accepts it" 0 "" "$CUZK" verify $request "$work/random" --params "$PARAMS"
exits "our verifier accepts the golden proof" 0 "" \
    "$CUZK" verify $request $request/golden-0.proof --params "$PARAMS"
if cmp -s "$work/random" $request/golden-0.proof; then fail "r, s are not random"; fi

head -c 191 "$work/random" >"$work/short"
exits "a short proof" 2 "191 bytes.*192" "$CUZK" verify $request "$work/short" --params "$PARAMS"
cat "$work/random" "$work/random" >"$work/long"
exits "a long proof" 2 "384 bytes.*192" "$CUZK" verify $request "$work/long" --params "$PARAMS"

oracle=$SHARED/tools/fil-oracle
if [ -x "$oracle" ]; then
    export FIL_PROOFS_PARAMETER_CACHE=$PARAMS
    exits "Filecoin's verifier accepts our proof" 0 "" "$oracle" verify $request "$work/random"
    if "$oracle" prove $request "$work/theirs" >"$work/log" 2>&1; then
        exits "our verifier accepts Filecoin's proof" 0 "" \
            "$CUZK" verify $request "$work/theirs" --params "$PARAMS"
    else
        fail "fil-oracle prove with our parameters: $(tail -3 "$work/log")"
    fi
    unset FIL_PROOFS_PARAMETER_CACHE
else
    skip "comparison with fil-oracle: $oracle is not here"
fi

if [ -d "$SHARED/fixtures/requests" ]; then
    for r in b c v1 synthetic ni; do
        dir=$SHARED/fixtures/requests/porep-2k-$r
        same "witness of porep-2k-$r, every partition" "$(cat "$dir/witness.txt")" \
            "$("$CUZK" circuit witness "$dir")"
        for golden in "$dir"/golden-*.proof; do
            k=${golden##*golden-}
            k=${k%.proof}
            "$CUZK" prove "$dir" --partition "$k" --out "$work/golden" --params "$PARAMS" \
                --insecure-test-rs >"$work/log" 2>&1 || fail "prove: $(cat "$work/log")"
            if cmp -s "$work/golden" "$golden"; then
                pass "golden proof of porep-2k-$r partition $k"
            else
                fail "golden proof of porep-2k-$r partition $k differs"
            fi
        done
    done
else
    skip "requests b, c, v1, synthetic, ni: $SHARED/fixtures/requests is not here"
fi
done_testing
