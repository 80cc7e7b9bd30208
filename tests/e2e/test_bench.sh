# cuzk bench and cuzk opts: every verb gives its table and one JSON object in the documented form; switches are
# set by flag and environment; what is wrong is refused with the remedy.
. "$E2E/lib.sh"
cd "$ROOT"
request=tests/data/window-2k-1
params_for wpost-2k
sock=$work/s/cuzk.sock
daemon=
cleanup() { [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; }

# object NAME WANT COMMAND...: the JSON object passes the checks of docs/bench.md, and the series are WANT (in part).
cat >"$work/check.py" <<'P'
import json, statistics, sys
b = json.load(open(sys.argv[1]))
want = sys.argv[2].split(",")
assert b["ok"] is True and b["schema"] == 1, b
assert b["workload"]["requests"], b["workload"]
assert set(b["machine"]) >= {"cpu", "cores", "path", "features", "memory_bytes", "kernel"}, b["machine"]
assert all(b["build"][k] for k in ("version", "commit", "compiler")), b["build"]
assert all(isinstance(v, bool) for v in b["switches"].values()) and "A1" in b["switches"]
names = [s["name"] for s in b["samples"]]
assert len(set(names)) == len(names), names
assert all(w in names for w in want), names
for s in b["samples"]:
    v = s["values"]
    assert v and s["unit"] in ("ms", "ns", "bytes", "1/s") and s["better"] in ("lower", "higher"), s
    for key, x in (("min", min(v)), ("median", statistics.median(v)), ("max", max(v))):
        assert abs(s[key] - x) <= 0.001, (s["name"], key)
assert all(r["value"] >= 0 and r["unit"] for r in b["rates"]) and b["rates"]
print(b["bench"], len(b["samples"][0]["values"]))
P
object() {
    local name=$1 series=$2 want=$3 got
    shift 3
    "$@" >"$work/bench.json" 2>"$work/err" || { fail "$name: $(head -c 400 "$work/err")"; return; }
    got=$(python3 "$work/check.py" "$work/bench.json" "$series" 2>&1 | tail -1)
    same "$name" "$want" "$got"
}
object "bench synth-only" "total,witness,a and b" "synth-only 3" "$CUZK" bench synth-only $request --json
object "bench prove" "total,cpu,witness,ntt,msm_h,msm_b2,self_check" "prove 2" \
    "$CUZK" bench prove $request --params "$PARAMS" --iterations 2 --json
object "bench prove, interpreted" "total,witness" "prove 1" \
    "$CUZK" bench prove $request --params "$PARAMS" --iterations 1 --warmup 0 --cold --synth interpreted --json
object "bench batch, a made-up request too" "total,proof wpost-2k" "batch 4" \
    "$CUZK" bench batch $request wpost-2k --params "$PARAMS" --copies 2 --warmup 0 --json
object "bench stress in this process" "total,latency wpost-2k,queue wpost-2k" "stress 5" \
    "$CUZK" bench stress $request --params "$PARAMS" --jobs 5 --concurrency 3 --json
object "bench micro" "ntt forward-nr 2^8,msm g1 2^8,gadgets poseidon-8 native,field fp_mul stream" "micro 2" \
    "$CUZK" bench micro --n 8 --iterations 2 --json
object "bench micro, one case" "msm g2 300" "micro 5" "$CUZK" bench micro msm --only "g2 300" --n 300 --json
exits "a table for people" 0 "" "$CUZK" bench prove $request --params "$PARAMS" --iterations 1 --warmup 0
grep -Eq '^msm_h +1 +[0-9.]+ +[0-9.]+ +[0-9.]+ ms$' "$work/out" && pass "has a line a phase" || fail "table: $(cat "$work/out")"

# a daemon under stress
mkdir -p "$work/s"
"$CUZK" serve --listen "unix://$sock" --params "$PARAMS" --opts A4=off 2>"$work/daemon.log" &
daemon=$!
for _ in $(seq 100); do "$CUZK" status --address "unix://$sock" >/dev/null 2>&1 && break; sleep 0.1; done
object "bench stress of a daemon, 36,000 arrivals an hour" "total,latency wpost-2k" "stress 4" \
    "$CUZK" bench stress $request --connect "unix://$sock" --jobs 4 --rate 36000 --json
same "the daemon has done them, and the warm-up" 5 \
    "$("$CUZK" status --address "unix://$sock" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["completed"])')"
kill "$daemon"; wait "$daemon"; daemon=
exits "no daemon" 8 "" "$CUZK" bench stress $request --connect "unix://$sock" --jobs 1

# what is wrong
exits "no verb" 64 "has no verb" "$CUZK" bench fly
exits "no such group" 2 "there are field, ntt, msm and gadgets" "$CUZK" bench micro teapot
exits "no such case" 2 "no case has" "$CUZK" bench micro ntt --only teapot --n 4
exits "no iterations" 64 "out of range" "$CUZK" bench prove $request --iterations 0
exits "no parameters" 4 "" "$CUZK" bench prove $request --params "$work" --iterations 1
exits "1000 callers" 64 "concurrency" "$CUZK" bench stress $request --concurrency 1000

# switches
golden=$request/golden-0.proof
for list in A1=off,A2=off B1=on A4=off,D4=off compact-witness=off; do
    exits "prove with $list" 0 "" "$CUZK" prove $request --out "$work/proof" --params "$PARAMS" --insecure-test-rs --opts $list
    if cmp -s "$work/proof" $golden; then pass "the same bytes"; else fail "$list: other bytes"; fi
done
exits "--opts wins over CUZK_OPTS" 0 "" env CUZK_OPTS=D4=off,A1=off "$CUZK" opts --opts D4=on
same "CUZK_OPTS and --opts" "A1 off,D4 on" "$(awk '$1 == "A1" || $1 == "D4" {print $1, $2}' "$work/out" | paste -sd,)"
exits "an unknown switch" 2 "the nearest is A1" "$CUZK" prove $request --out "$work/proof" --opts A9=on
exits "a daemon with an unknown switch" 2 "daemon.opts: .*the nearest is A1" "$CUZK" serve --listen "unix://$sock" --opts A9=on
printf '[daemon]\nlisten = "unix://%s"\nopts = "D4=banana"\n' "$sock" >"$work/cuzk.toml"
exits "a wrong switch in the configuration" 2 "switch D4: \"banana\"" "$CUZK" serve --config "$work/cuzk.toml"
exits "an unknown switch in the environment" 2 "CUZK_OPTS: .*the nearest is kept-pages" \
    env CUZK_OPTS=keptpages=off "$CUZK" prove $request --out "$work/proof" --params "$PARAMS"
drop=
[ "$(id -u)" != 0 ] || drop="setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock"
exits "E10: B1 where nothing may be locked" 0 "B1.*cannot be locked.*ulimit -l" \
    bash -c "ulimit -l 0; exec $drop '$CUZK' prove $request --out '$work/proof' --params '$PARAMS' --insecure-test-rs --opts B1=on"
same "one warning" 1 "$(grep -c 'cannot be locked' "$work/err")"
if cmp -s "$work/proof" $golden; then pass "the same bytes, unlocked"; else fail "B1: other bytes"; fi
done_testing
