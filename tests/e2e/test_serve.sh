# The daemon as its users meet it: serve, submit, status, bad requests in between, restarts, signals.
. "$E2E/lib.sh"
cd "$ROOT"
request=tests/data/porep-2k-a
params_for porep-2k
sock=$work/s/cuzk.sock
address=unix://$sock
mkdir -p "$work/s"
daemon=

# start [options]: a daemon on $address, ready when it answers.
start() {
    "$CUZK" serve --listen "$address" --params "$PARAMS" --grace 300 "$@" 2>>"$work/daemon.log" &
    daemon=$!
    for _ in $(seq 100); do
        "$CUZK" status --address "$address" >/dev/null 2>&1 && return
        sleep 0.1
    done
    fail "the daemon did not start: $(tail -5 "$work/daemon.log")"
    exit 1
}
# stop SIGNAL WANT: ends the daemon and compares its exit code.
stop() {
    kill -"$1" "$daemon"
    wait "$daemon"
    same "exit code after SIG$1" "$2" "$?"
    daemon=
}
cleanup() { [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; }
submit() { "$CUZK" submit "$1" --address "$address" --out "$work/proof" "${@:2}"; }

exits "no daemon" 8 "cuzk serve" "$CUZK" status --address "$address"
start --listen 127.0.0.1:0
port=$(grep -Eo '127\.0\.0\.1:[0-9]+' "$work/daemon.log" | tail -1 | cut -d: -f2)
exits "status over TCP" 0 "" "$CUZK" status --address "127.0.0.1:$port"
same "socket mode" 600 "$(stat -c %a "$sock")"
exits "a second daemon on the same socket" 5 "already running" "$CUZK" serve --listen "$address"
exits "a TCP address for everybody" 2 "insecure" "$CUZK" serve --listen 0.0.0.0:0

# bad requests are refused and change nothing
mkdir -p "$work/r"
cp $request/request.json "$work/r/"
bad() { exits "$1" "$2" "$3" submit "$work/r"; }
printf '%s}' "$(cat $request/c1.json)" >"$work/r/c1.json"
bad "submit: trailing bytes" 2 "byte [0-9]+"
head -c 5000 $request/c1.json >"$work/r/c1.json"
bad "submit: truncated" 2 "C1"
python3 -c 'print("["*10000 + "]"*10000)' >"$work/r/c1.json"
bad "submit: 10,000 levels" 2 "C1"
: >"$work/r/c1.json"
bad "submit: empty" 2 "empty"
python3 - $request/c1.json "$work/r/c1.json" <<'P'
import json, sys
c1 = json.load(open(sys.argv[1]))
c1["vanilla_proofs"]["StackedDrg2KiBV1"][0][0]["labeling_proofs"][1]["parents"][5][0] ^= 1
json.dump(c1, open(sys.argv[2], "w"))
P
bad "submit: a wrong label" 3 "sector 1.*challenge 0"

# and good ones pass
exits "submit" 0 "" submit $request --id job-1
exits "the proof is valid" 0 "" "$CUZK" verify $request "$work/proof" --params "$PARAMS"
cp "$work/proof" "$work/first"
exits "the same id and content again" 0 "" submit $request --id job-1
if cmp -s "$work/proof" "$work/first"; then pass "is answered from the kept result"; else fail "was proved twice"; fi
"$CUZK" status --address "$address" --json >"$work/status"
same "status counts" "1 1 porep-2k" "$(python3 -c '
import json, sys
s = json.load(open(sys.argv[1]))
print(s["completed"], s["failed"], s["parameters"][0]["circuit"])' "$work/status")"
cp tests/data/porep-2k-a/c1-wrapped.json "$work/r/c1.json"
exits "submit: the envelope of Go clients" 0 "" submit "$work/r"

# A04, A05: envelopes and fields that contradict
python3 - tests/data/porep-2k-a/c1-wrapped.json "$work" <<'P'
import base64, json, sys
text = open(sys.argv[1]).read()
e = json.loads(text)
def put(name, change):
    json.dump({**e, **change}, open(f"{sys.argv[2]}/{name}.json", "w"))
put("twice", {"Phase1Out": base64.b64encode(text.encode()).decode()})
put("object", {"Phase1Out": json.loads(base64.b64decode(e["Phase1Out"]))})
put("number", {"SectorNum": 2})
put("negative", {"SectorNum": -1})
put("fraction", {"SectorNum": 1.5})
put("text", {"SectorNum": "1"})
put("size", {"SectorSize": 8388608})
P
wrong() { cp "$work/$1.json" "$work/r/c1.json"; bad "$2" 2 "$3"; }
wrong twice "A04: an envelope inside the envelope" "envelope"
wrong object "A04: Phase1Out as an object" "Phase1Out"
wrong number "A05: SectorNum of another sector" "SectorNum.*2|sector.*2"
wrong negative "A05: SectorNum -1" "SectorNum"
wrong fraction "A05: SectorNum 1.5" "SectorNum"
wrong text "A05: SectorNum as text" "SectorNum"
wrong size "A05: SectorSize of another size" "8388608"

# await, cancel, srs
daemon_verb() { "$CUZK" "$@" --address "$address"; }
same "submit --no-wait prints the id" job-3 "$(daemon_verb submit $request --id job-3 --priority 3 --no-wait)"
exits "await" 0 "" daemon_verb await job-3 --out "$work/proof"
exits "its proof is valid" 0 "" "$CUZK" verify $request "$work/proof" --params "$PARAMS"
exits "await an unknown job" 5 "job not found: job-4" daemon_verb await job-4 --out "$work/proof"
exits "cancel an ended job" 0 "" daemon_verb cancel job-3
same "and what it says" "job-3: does not run" "$(daemon_verb cancel job-3)"
if daemon_verb srs list | grep -Eq '^porep-2k +hot'; then pass "srs list"; else fail "srs list: $(daemon_verb srs list)"; fi
exits "srs preload" 0 "" daemon_verb srs preload porep-2k
exits "srs preload of nothing" 2 "nope" daemon_verb srs preload nope
timeout 3 "$CUZK" status --watch --interval 1 --address "$address" >"$work/watch"
if [ "$(grep -c '^up ' "$work/watch")" -ge 2 ]; then pass "status --watch"; else fail "status --watch: $(cat "$work/watch")"; fi

# signals
stop TERM 0
[ -e "$sock" ] && fail "the socket is still there" || pass "the socket is gone"
start
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
start
pass "a stale socket is replaced"
submit $request >"$work/out" 2>&1 &
client=$!
for _ in $(seq 100); do
    "$CUZK" status --address "$address" | grep -q "1 running" && break
    sleep 0.05
done
stop TERM 0
wait "$client"
same "a running job is finished before the daemon ends" 0 "$?"

# missing parameters: the job fails, the daemon stays
daemon=
PARAMS_SAVED=$PARAMS
PARAMS=$work/empty
mkdir -p "$PARAMS"
start
exits "no parameters" 4 "does not exist" submit $request --id job-2
ln "$PARAMS_SAVED"/* "$PARAMS"/ 2>/dev/null || cp "$PARAMS_SAVED"/v28-stacked* "$PARAMS"/
exits "the same job once they are there" 0 "" submit $request --id job-2
PARAMS=$PARAMS_SAVED
stop INT 0
done_testing
