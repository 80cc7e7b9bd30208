# Parameter files as a storage provider meets them, good and bad, and a daemon with little memory
# (CASES B01 B02 B04 B05 B12 B13 B14 E01 E09 E10).
. "$E2E/lib.sh"
cd "$ROOT"
request=tests/data/window-2k-1
dir=$work/params
mkdir -p "$dir" "$work/s" "$work/empty"
export XDG_CACHE_HOME=$work/cache
"$CUZK" params make wpost-2k --insecure-test-secrets --out "$dir" >/dev/null 2>&1 || fail "params make"
stem=$(stem_of wpost-2k)
params=$dir/$stem.params vk=$dir/$stem.vk
cp "$params" "$work/good.params"
cp "$vk" "$work/good.vk"
size=$(stat -c %s "$params")
address=unix://$work/s/cuzk.sock
daemon=

start() {
    "$@" "$CUZK" serve --listen "$address" --params "$dir" --threads 2 "${options[@]}" 2>>"$work/daemon.log" &
    daemon=$!
    for _ in $(seq 200); do
        "$CUZK" status --address "$address" >/dev/null 2>&1 && return
        sleep 0.1
    done
    fail "the daemon did not start: $(tail -5 "$work/daemon.log")"
    exit 1
}
stop() {
    kill -TERM "$daemon"
    wait "$daemon"
    same "exit code after SIGTERM" 0 "$?"
    daemon=
}
cleanup() { [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; }
submit() { exits "$1" "$2" "$3" "$CUZK" submit $request --address "$address" --out "$work/proof"; }
restore() {
    cp "$work/good.params" "$params"
    cp "$work/good.vk" "$vk"
}
flip() { # FILE OFFSET
    python3 - "$1" "$2" <<'P'
import sys
f = open(sys.argv[1], "r+b")
at = int(sys.argv[2])
f.seek(at)
c = f.read(1)[0] ^ 1
f.seek(at)
f.write(bytes([c]))
P
}

# ---- check ----
exits "params check" 0 "" "$CUZK" params check "$params"
grep -q "origin   not Filecoin's file" "$work/out" && pass "check names the origin" || fail "check names the origin"
exits "params check --quick" 0 "" "$CUZK" params check --quick "$params"
exits "B19 params check --strict" 4 "is not Filecoin's file" "$CUZK" params check --strict --quick "$params"

# ---- a daemon and bad files: each is an error, and the next good file works ----
options=()
start
for cut in 0 1 95 864 5000 $((size / 2)) $((size - 1)); do
    head -c "$cut" "$work/good.params" >"$params"
    what="truncated|empty"
    submit "B01 B02 cut after $cut bytes" 4 "$what"
done
printf x >"$params.more"
cat "$work/good.params" "$params.more" >"$params"
rm "$params.more"
submit "B01 one byte too many" 4 "1 bytes after its last section"
restore
: >"$vk"
submit "B02 an empty key" 4 "is empty; did a download fail"
head -c 1000 "$work/good.vk" >"$vk"
submit "B04 another key" 4 "not a pair"
restore
flip "$params" $((size - 100))
before=$(stat -c '%i %Y %s' "$params")
submit "B05 a flipped bit" 4 "section b_g2, point [0-9]+ of"
same "B12 the file is untouched" "$before" "$(stat -c '%i %Y %s' "$params")"
rm "$params"
submit "B13 no file" 4 "no parameters for wpost-2k: .*does not exist"
same "B13 nothing was generated" 1 "$(find "$dir" -type f | wc -l)"
restore
submit "and now a good one" 0 ""
exits "the proof is valid" 0 "" "$CUZK" verify $request "$work/proof" --params "$dir"
rm "$params"
exits "B17 its file may go" 0 "" "$CUZK" submit tests/data/window-2k-3-v1 --address "$address" --out "$work/proof"
restore
stop
grep -q "self-made" "$work/daemon.log" && pass "B19 a warning" || fail "B19 a warning"
grep -q "parameter folder: $dir (as configured)" "$work/daemon.log" && pass "B14 precedence is logged" || fail "B14 precedence is logged"

# ---- folders ----
prove() { exits "$1" "$2" "$3" "$CUZK" prove $request --out "$work/proof" --params "$4"; }
prove "B14 an empty folder" 4 "does not exist; fetch" "$work/empty"
prove "B14 no such folder" 4 "cannot be used: No such file" "$work/none"
prove "B14 a tilde" 4 "only a shell expands" '~/none'
prove "B14 a file" 4 "is a file" "$vk"
exits "B14 configured before the environment" 0 "" env FIL_PROOFS_PARAMETER_CACHE="$work/empty" \
    "$CUZK" prove $request --out "$work/proof" --params "$dir/"
exits "B14 the environment" 4 "$work/empty" env FIL_PROOFS_PARAMETER_CACHE="$work/empty" \
    "$CUZK" prove $request --out "$work/proof"

# ---- memory ----
options=(--memory 1MiB)
start
submit "E01 1 MiB is refused at once" 7 "it needs .* 0.001 GiB \(1048576 bytes\) are the memory budget"
stop
options=(--memory 60MiB --preload wpost-2k)
start
for i in 1 2; do submit "E01 60 MiB is enough, proof $i" 0 ""; done
stop
grep -q "parameters of wpost-2k are loaded" "$work/daemon.log" && pass "preloaded" || fail "preloaded"
options=()
start prlimit --memlock=65536
submit "E10 little locked memory" 0 ""
stop
# about what threads and libgrpc map: the job fails, or just fits, and the daemon answers
start prlimit --as=900000000
"$CUZK" submit $request --address "$address" --out "$work/proof" >"$work/out" 2>&1
code=$?
case $code in 0 | 7) pass "E09 little address space: exit code $code" ;; *) fail "E09: exit code $code: $(cat "$work/out")" ;; esac
exits "E09 the daemon is up" 0 "" "$CUZK" status --address "$address"
stop
done_testing
