# Long tier: 512 MiB sectors, a PoRep with the parameters in memory and streamed from disk. Four minutes, 2 GB of
# disk, 3 GiB of memory.
. "$E2E/lib.sh"
cd "$ROOT"
oracle=$SHARED/tools/fil-oracle
dir=$SHARED/fixtures/requests-full/porep-512m
[ -d "$dir" ] && [ -x "$oracle" ] || { skip "$dir is not here"; exit 0; }
params_for porep-512m
for srs in resident streamed; do
    exits "prove, parameters $srs" 0 "porep-512m needs" \
        "$CUZK" prove "$dir" --out "$work/$srs" --params "$PARAMS" --srs "$srs" --explain-memory \
        --insecure-test-rs
    grep -E '^(cuzk:|[a-z_]+[0-9]? +[0-9])' "$work/err"
    exits "our verifier accepts it" 0 "" "$CUZK" verify "$dir" "$work/$srs" --params "$PARAMS"
    exits "Filecoin's verifier accepts it" 0 "" \
        env FIL_PROOFS_PARAMETER_CACHE="$PARAMS" "$oracle" verify "$dir" "$work/$srs"
done
exits "both proofs are the same" 0 "" cmp "$work/resident" "$work/streamed"
exits "too little memory for either" 7 "needs 2\.[0-9]+ GiB .*0\.488 GiB .*are the memory budget" \
    "$CUZK" prove "$dir" --out "$work/x" --params "$PARAMS" --memory 500
exits "too little for resident" 7 "it would fit with" \
    "$CUZK" prove "$dir" --out "$work/x" --params "$PARAMS" --memory 1500 --srs resident
exits "no such place" 64 "auto, resident or streamed" \
    "$CUZK" prove "$dir" --out "$work/x" --params "$PARAMS" --srs elsewhere
rm -f "$PARAMS/$(stem_of porep-512m)".{params,vk} "$PARAMS/porep-512m.made"
done_testing
