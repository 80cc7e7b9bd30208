# Long tier: 8 MiB sectors. An update of four partitions and a PoRep, accepted by Filecoin's verifier.
. "$E2E/lib.sh"
cd "$ROOT"
oracle=$SHARED/tools/fil-oracle
[ -d "$SHARED/fixtures/requests" ] && [ -x "$oracle" ] || { skip "$SHARED is not here"; exit 0; }
for pair in porep-8m:porep-8m:192 snap-8m:update-8m:768 wpost-8m:window-8m-1:192 winning-8m:winning-8m:192; do
    IFS=: read -r circuit name bytes <<<"$pair"
    dir=$SHARED/fixtures/requests/$name
    params_for "$circuit"
    same "witness of $name" "$(cat "$dir/witness.txt")" "$("$CUZK" circuit witness "$dir")"
    exits "prove $name" 0 "" "$CUZK" prove "$dir" --out "$work/proof" --params "$PARAMS"
    same "bytes of $name" "$bytes" "$(stat -c %s "$work/proof")"
    exits "our verifier accepts $name" 0 "" "$CUZK" verify "$dir" "$work/proof" --params "$PARAMS"
    exits "Filecoin's verifier accepts $name" 0 "" \
        env FIL_PROOFS_PARAMETER_CACHE="$PARAMS" "$oracle" verify "$dir" "$work/proof"
    if [ "$name" = update-8m ]; then
        head -c 192 "$work/proof" >"$work/x"
        exits "its first partition alone" 2 "768" "$CUZK" verify "$dir" "$work/x" --params "$PARAMS"
        { tail -c +193 "$work/proof"; head -c 192 "$work/proof"; } >"$work/x"
        exits "its partitions rotated" 1 "" "$CUZK" verify "$dir" "$work/x" --params "$PARAMS"
    fi
    rm -f "$PARAMS/$(stem_of "$circuit")".{params,vk} "$PARAMS/$circuit.made"
done
done_testing
