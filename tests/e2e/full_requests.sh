# Long tier: the full-size requests made without a sealed sector. Witness digests of the first partition
# as the established stack gives them; 32 GiB Window partitions take 4 GB of memory.
. "$E2E/lib.sh"
cd "$ROOT"
full=$SHARED/fixtures/requests-full
[ -d "$full" ] || { skip "$full is not here"; exit 0; }
for dir in "$full"/*/; do
    name=$(basename "$dir")
    mkdir -p "$work/$name"
    cp "$dir"/* "$work/$name/"
    for packed in "$work/$name"/*.tar.xz; do [ ! -f "$packed" ] || tar -C "$work/$name" -xJf "$packed"; done
    for packed in "$work/$name"/*.json.xz; do [ ! -f "$packed" ] || xz -d "$packed"; done
    want=$(grep '^partition 0:' "$dir/witness.txt")
    begin=$SECONDS
    got=$("$CUZK" circuit witness "$work/$name" --partition 0)
    # some of the lines end before the digests: what is there is compared
    same "witness of $name ($((SECONDS - begin)) s)" "${want% }" "${got:0:$(printf %s "${want% }" | wc -c)}"
    rm -rf "${work:?}/$name"
done
done_testing
