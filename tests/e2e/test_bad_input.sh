# Bad input gets a clear error with the documented exit code; nothing crashes.
. "$E2E/lib.sh"
cd "$ROOT"
request=tests/data/porep-2k-a
params_for porep-2k
stem=$(stem_of porep-2k)
good=$PARAMS/$stem.params
bytes=$(stat -c %s "$good")

# damage NAME EXIT PATTERN: proves with $work/p/<stem>.params as the last command left it.
mkdir -p "$work/p"
bad=$work/p/$stem.params
damaged() { exits "$1" 4 "$2" "$CUZK" prove $request --out "$work/o" --params "$work/p"; }
# poke OFFSET HEX: overwrites bytes of $bad.
poke() { printf "$2" | dd of="$bad" bs=1 seek="$1" conv=notrunc status=none; }

exits "no parameters" 4 "does not exist.*--params" "$CUZK" prove $request --out "$work/o" --params "$work/p"
: >"$bad"
damaged "empty file" "empty|0 bytes"
echo "this is a text file, not parameters" >"$bad"
damaged "text file" "$stem.params"
ic=40
h=$((868 + 96 * ic))
for cut in 1 95 867 900 $((h + 2)) $((bytes / 2)) $((bytes - 1)); do
    head -c "$cut" "$good" >"$bad"
    damaged "file cut to $cut bytes" "$stem.params.*(bytes|vk|section)"
done
rm -f "$bad"
cp "$good" "$bad"
printf x >>"$bad"
damaged "one byte appended" "$stem.params.*bytes"
truncate -s "$bytes" "$bad"
poke $((h + 4 + 50)) '\x55'
damaged "a bit flipped in h[0]" "h\[0\]|section h.*0"
cp "$good" "$bad"
poke $((h + 4)) '\x40'
damaged "infinity flag in h[0]" "h\[0\]|section h.*0"
poke $((h + 4)) '\x9f'
damaged "compression flag in h[0]" "h\[0\]|section h.*0"
poke $((h + 4)) '\x1f'
damaged "coordinate above p" "h\[0\]|section h.*0"
exits "params check finds it too" 4 "h\[0\]|section h.*0" "$CUZK" params check "$bad"
rm -rf "$work/p"

# C1 files
mkdir -p "$work/r"
cp $request/request.json "$work/r/"
c1=$work/r/c1.json
refused() { exits "$1" 2 "$2" "$CUZK" prove "$work/r" --out "$work/o" --params "$PARAMS"; }
cp $request/c1.json "$c1"
printf '}' >>"$c1"
refused "C1 with trailing bytes" "byte [0-9]+"
sed 's/"comm_r_last_proof"/"comm_x_last_proof"/' $request/c1.json >"$c1"
refused "C1 without a key" "comm_r_last_proof"
sed 's/"replica_id":\[/"replica_id":["a",/' $request/c1.json >"$c1"
refused "C1 with a string for a number" "replica_id.*byte"
python3 -c 'print("["*10000 + "]"*10000)' >"$c1"
refused "C1 of 10,000 levels" "depth|nest|level|object"
python3 -c 'print("{\"vanilla_proofs\":" + "{\"a\":"*10000 + "1" + "}"*10001)' >"$c1"
refused "C1 of 10,000 levels under a known key" "unknown alternative"
python3 -c 'print("{\"x\":" + "{\"a\":"*10000 + "1" + "}"*10001)' >"$c1"
refused "C1 of 10,000 levels under an unknown key" "depth|nest|level"
for i in 1 5 9 13 15; do
    head -c $(($(stat -c %s $request/c1.json) * i / 16)) $request/c1.json >"$c1"
    refused "C1 cut at $i/16" "byte|end|truncated|incomplete"
done
: >"$c1"
refused "empty C1" "empty|byte|end"
sed 's/StackedDrg2KiBV1_1/StackedDrg8MiBV1_1/' $request/c1.json >"$c1"
refused "C1 of another sector size" "8MiB|sector.size|8388608"
cp $request/c1.json "$c1"
sed 's/"sector_size": 2048/"sector_size": 8388608/' $request/request.json >"$work/r/request.json"
refused "request.json of another sector size" "8388608"
cp $request/request.json "$work/r/"
rm "$c1"
exits "C1 file missing" 5 "c1.json" "$CUZK" prove "$work/r" --out "$work/o" --params "$PARAMS"
exits "no such request" 5 "/nowhere" "$CUZK" prove /nowhere --out "$work/o" --params "$PARAMS"

# a proof of a wrong vanilla proof never comes out
python3 - $request/c1.json "$c1" <<'P'
import json, sys
c1 = json.load(open(sys.argv[1]))
leaf = c1["vanilla_proofs"]["StackedDrg2KiBV1"][0][1]["comm_r_last_proof"]["data"]["Single"]["path"]["path"][0]["hashes"][3]
leaf[5] ^= 1
json.dump(c1, open(sys.argv[2], "w"))
P
exits "a vanilla proof with one bit flipped" 3 "sector 1.*challenge 1" \
    "$CUZK" prove "$work/r" --out "$work/o" --params "$PARAMS"

# usage
exits "no verb" 64 "usage" "$CUZK"
exits "unknown verb" 64 "no verb" "$CUZK" proove
exits "unknown option" 64 "usage" "$CUZK" prove --frob
exits "missing operand" 64 "REQUEST is missing" "$CUZK" prove --out x
exits "unknown circuit" 2 "porep-3k.*porep" "$CUZK" circuit digest porep-3k
for verb in prove verify circuits serve submit status version; do
    exits "$verb --help" 0 "" "$CUZK" $verb --help
    grep -q "usage: cuzk $verb" "$work/out" || fail "$verb --help says nothing"
done
done_testing
