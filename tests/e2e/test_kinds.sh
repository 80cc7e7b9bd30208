# WinningPoSt, WindowPoSt and SnapDeals update of 2 KiB sectors, and WinningPoSt of a 32 GiB sector:
# parameters, witness, golden proofs, verification both ways. Expected digests: docs/evidence.md.
. "$E2E/lib.sh"
cd "$ROOT"
requests=tests/data
[ -d "$SHARED/fixtures/requests" ] && requests=$SHARED/fixtures/requests ||
    skip "requests beyond tests/data: $SHARED/fixtures/requests is not here"
oracle=$SHARED/tools/fil-oracle

# params_are CIRCUIT SHA256-OF-PARAMS [SHA256-OF-VK]
params_are() {
    params_for "$1"
    local stem
    stem=$(stem_of "$1")
    same "$1.params is bellperson's" "$2" "$(sha256sum "$PARAMS/$stem.params" | cut -d' ' -f1)"
    [ $# -lt 3 ] || same "$1.vk is bellperson's" "$3" "$(sha256sum "$PARAMS/$stem.vk" | cut -d' ' -f1)"
}

# request_holds FOLDER: witness, golden proofs, a random proof accepted by both verifiers.
request_holds() {
    local dir=$1 name
    name=$(basename "$dir")
    [ -d "$dir" ] || { skip "$name: not here"; return; }
    same "witness of $name" "$(cat "$dir/witness.txt")" "$("$CUZK" circuit witness "$dir")"
    if ls "$dir"/golden-*.proof >/dev/null 2>&1; then
        exits "prove $name with the published r, s" 0 "" \
            "$CUZK" prove "$dir" --out "$work/golden" --params "$PARAMS" --insecure-test-rs
        cat "$dir"/golden-*.proof >"$work/want"
        if cmp -s "$work/golden" "$work/want"; then pass "golden proofs of $name"; else fail "golden proofs of $name differ"; fi
    fi
    exits "prove $name" 0 "" "$CUZK" prove "$dir" --out "$work/proof" --params "$PARAMS" --allow-insecure-params
    exits "our verifier accepts $name" 0 "" "$CUZK" verify "$dir" "$work/proof" --params "$PARAMS"
    [ -x "$oracle" ] || { skip "Filecoin's verifier: $oracle is not here"; return; }
    exits "Filecoin's verifier accepts $name" 0 "" \
        env FIL_PROOFS_PARAMETER_CACHE="$PARAMS" "$oracle" verify "$dir" "$work/proof"
}

params_are winning-2k e88ae883d1bb6d8b66b63a572e359f2ed0a70482e251346985166be6d19f5958 \
    050bae8dd7f8083cff18ab7275c0cabeac4c0e75e8884f7452aff0250ac506b7
params_are wpost-2k e1e41eca16e571d69e9e55827325c53d4da5f673a4bcfc75bbcf2c42583dd8ec \
    5b884ddb0c6cdb610e818167d3fddc14e897f558cb0fed99a71973880ccfbf39
params_are snap-2k 5dff072ac1b12cfbd738f8f55c56503370777e719f5579844f693ce48c9cf80e \
    256ed12b83ee61071103bbae44abfb1ae8d26699a6116414eb86b129f563de36
for r in winning-2k window-2k-1 window-2k-2 window-2k-3-v1 window-2k-5 update-2k; do
    request_holds "$requests/$r"
done

# the established prover works with our parameter files, and our verifier accepts what it makes
for r in winning-2k window-2k-1; do
    [ -x "$oracle" ] || continue
    exits "fil-oracle proves $r with our parameters" 0 "" \
        env FIL_PROOFS_PARAMETER_CACHE="$PARAMS" "$oracle" prove "$requests/$r" "$work/theirs"
    exits "our verifier accepts it" 0 "" "$CUZK" verify "$requests/$r" "$work/theirs" --params "$PARAMS"
done

# a proof of several partitions is that of each, in order, and nothing else is accepted
dir=$requests/window-2k-5
if [ -d "$dir" ]; then
    "$CUZK" prove "$dir" --out "$work/all" --params "$PARAMS" 2>"$work/log" >&2 || fail "$(cat "$work/log")"
    same "three partitions" 576 "$(stat -c %s "$work/all")"
    refused() { exits "$1" "$2" "" "$CUZK" verify "$dir" "$work/x" --params "$PARAMS"; }
    for k in 0 1 2; do dd if="$work/all" of="$work/p$k" bs=192 skip=$k count=1 status=none; done
    exits "partition 1 alone" 0 "" "$CUZK" verify "$dir" "$work/p1" --partition 1 --params "$PARAMS"
    exits "partition 1 as partition 2" 1 "partition 2" "$CUZK" verify "$dir" "$work/p1" --partition 2 --params "$PARAMS"
    cp "$work/p0" "$work/x"; refused "the first 192 bytes only" 2
    head -c 575 "$work/all" >"$work/x"; refused "one byte short" 2
    cat "$work/all" "$work/p0" >"$work/x"; refused "a partition too many" 2
    cat "$work/p1" "$work/p0" "$work/p2" >"$work/x"; refused "partitions swapped" 1
    cat "$work/p0" "$work/p0" "$work/p0" >"$work/x"; refused "partition 0 three times" 1
fi

full=$SHARED/fixtures/requests-full/winning-32g
if [ -d "$full" ]; then
    params_are winning-32g 9d909dfbdc62e8267b6f7af5d7ec924a02e438b6ee73a216fb1c7163efda3fb3
    request_holds "$full"
fi
done_testing
