# The daemon's pages while it proves; its timing lines; its memory monitor and cuzk memmon.
. "$E2E/lib.sh"
cd "$ROOT"
request=tests/data/porep-2k-a
params_for porep-2k
params_for wpost-2k
sock=$work/s/cuzk.sock
address=unix://$sock
mkdir -p "$work/s"
daemon=
cleanup() { [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; }

# start [options]
start() {
    "$CUZK" serve --listen "$address" --params "$PARAMS" --grace 300 --http 127.0.0.1:0 \
        --set "logging.memory_csv=$work/memory.csv" --set logging.memory_interval=100ms "$@" \
        2>"$work/daemon.log" &
    daemon=$!
    for _ in $(seq 100); do
        "$CUZK" status --address "$address" >/dev/null 2>&1 && break
        sleep 0.1
    done
    http=$(grep -Eo 'http on 127\.0\.0\.1:[0-9]+' "$work/daemon.log" | cut -d' ' -f3)
    [ -n "$http" ] || { fail "no HTTP server: $(tail -5 "$work/daemon.log")"; exit 1; }
}
stop() {
    kill -TERM "$daemon"
    wait "$daemon"
    same "exit code" 0 "$?"
    daemon=
}
page() { curl -sS --max-time 5 "http://$http$1"; }
code() { curl -sS --max-time 5 -o /dev/null -w '%{http_code}' "$@"; }
counts() { page /metrics >"$work/$1" && python3 tests/promcheck.py "$work/$@"; }

exits "beyond loopback" 2 "http.listen.*insecure" "$CUZK" serve --listen "$address" --http 0.0.0.0:0
exits "not an address" 2 "port" "$CUZK" serve --listen "$address" --http 127.0.0.1

CUZK_TIMING=1 start
same "/healthz" ok "$(page /healthz)"
same "/readyz" "ready 200" "$(page /readyz) $(code "http://$http/readyz")"
same "HEAD" 200 "$(code -I "http://$http/metrics")"
same "unknown path" 404 "$(code "http://$http/nope")"
same "other method" 405 "$(code -d x "http://$http/status")"
exits "metrics are clean" 0 "" counts before

# a second daemon whose HTTP port is taken proves all the same
"$CUZK" serve --listen "unix://$work/s/2.sock" --params "$PARAMS" --http "$http" 2>"$work/second.log" &
second=$!
for _ in $(seq 50); do
    "$CUZK" status --address "unix://$work/s/2.sock" >/dev/null 2>&1 && break
    sleep 0.1
done
kill -TERM $second
wait $second
same "a port that is taken" "0 1" "$? $(grep -c 'error.*cannot listen on.*going on without' "$work/second.log")"

# C14, G13: status 20 times a second while two jobs are proved; what it says is true
"$CUZK" memmon --socket "$address" --interval 100 --out "$work/memmon.csv" 2>"$work/memmon.log" &
watcher=$!
"$CUZK" submit $request --address "$address" --id "G13 job" --out "$work/p1" >/dev/null 2>&1 &
first=$!
"$CUZK" submit tests/data/window-2k-1 --address "$address" --id w --out "$work/p2" >/dev/null 2>&1 &
other=$!
exits "C14 status while proofs run" 0 "" python3 - "$http" "$work/seen" <<'P'
import http.client, json, sys, time
slow, phases, done, end = [], set(), False, time.time() + 300
while not done and time.time() < end:
    t = time.time()
    c = http.client.HTTPConnection(sys.argv[1], timeout=5)
    c.request("GET", "/status")
    d = json.load(c.getresponse())
    slow.append(time.time() - t)
    for p in d["pipelines"]:
        assert p["total_partitions"] == len(p["partitions"]) >= 1, p
        assert p["proof_kind"] in ("porep-c2", "window-post") and p.get("device", "cpu") == "cpu", p
        assert p["partitions_done"] <= p["total_partitions"], p
        if "phase" in p:
            phases.add((p["job_id"], p["phase"]))
    done = d["counters"]["total_completed"] == 2
    time.sleep(0.05)
slow.sort()
last = {p["job_id"]: p for p in d["pipelines"]}
q = last["G13 job"]["partitions"][0]
assert last["G13 job"]["state"] == "completed" and q["state"] == "done", last
assert q["gpu_ms"] > 0 and q["synth_ms"] > 0, q
print(f"{len(slow)} polls, p99 {1e3 * slow[int(len(slow) * 0.99)]:.1f} ms, phases seen: {len(phases)}")
json.dump(sorted(phases), open(sys.argv[2], "w"))
assert slow[int(len(slow) * 0.99)] < 0.5
P
cat "$work/out"
wait $first $other
grep -q '"G13 job", "\(srs_load\|msm_h\|ntt\)"' "$work/seen" && pass "G13 phases are told" || fail "G13: $(cat "$work/seen")"

# phases of a job cover its time; the lines appear as they end
same "timing lines cover the job" ok "$(python3 - "$work/daemon.log" <<'P'
import re, sys
log = open(sys.argv[1]).read()
for job, name in (("G13\\x20job", "G13 job"), ("w", "w")):
    ms = [float(x) for x in re.findall(rf"CUZK_TIMING: phase=\w+ job={re.escape(job)} partition=-?\d+ ms=(\S+)", log)]
    total = int(re.search(rf'job="{name}".* completed: total (\d+) ms', log).group(1))
    if abs(sum(ms) - total) > 0.02 * total + 2: # milliseconds are whole in the log
        sys.exit(print(f"{name}: phases {sum(ms)}, total {total}"))
print("ok")
P
)"

# G12: numbers agree with what was done, and none fell
exits "metrics are clean, no counter fell" 0 "" counts after "$work/before"
metric() { awk -v n="$1" '$1 == n {print $2}' "$work/after"; }
same "completed" "2 1 1" "$(metric cuzk_proofs_completed_total) $(metric 'cuzk_jobs_completed_total{proof_kind="porep_c2"}') $(metric 'cuzk_jobs_completed_total{proof_kind="window_post"}')"
same "phases are counted" "2" "$(metric 'cuzk_phase_seconds_count{phase="msm_h"}')"

page /trace >"$work/trace"
same "trace" ok "$(python3 - "$work/trace" <<'P'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
assert all(k in e for e in events for k in ("ph", "name", "pid", "tid", "ts"))
assert {"msm_h", "ntt", "queue", "memory MiB"} <= {e["name"] for e in events}
threads = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
assert any(t.startswith("cuzk-prove") for t in threads), threads
jobs = {e["args"].get("job") for e in events if e["ph"] == "X"}
assert {"G13 job", "w"} <= jobs, jobs
print("ok")
P
)"

# G14: no line is longer than 4 KiB, none holds a payload
same "log lines" ok "$(awk 'length > 4096 {bad = 1} END {print bad ? "too long" : "ok"}' "$work/daemon.log")"
if grep -q "SealCommitPhase1Output\|vanilla_proofs" "$work/daemon.log"; then fail "G14 a payload in the log"; else pass "G14 no payload in the log"; fi

stop
wait $watcher
same "memmon ends with the daemon" "0 1" "$? $(grep -c "process .* has ended" "$work/memmon.log")"
same "memmon's curve" ok "$(python3 - "$work/memmon.csv" "$work/memory.csv" <<'P'
import csv, sys
for path in sys.argv[1:]:
    rows = [{k: int(v) for k, v in r.items()} for r in csv.DictReader(open(path))]
    assert len(rows) > 5 and max(r["rss_kb"] for r in rows) > 2 * rows[0]["rss_kb"], rows[:3]
    assert all(r["peak_rss_kb"] >= r["rss_kb"] for r in rows)
print("ok")
P
)"

same "marks of jobs" ok "$(python3 - "$work/memory.csv" <<'P'
import csv, sys
samples = [int(r["epoch_ms"]) for r in csv.DictReader(open(sys.argv[1]))]
marks = list(csv.DictReader(open(sys.argv[1] + ".jobs")))
at = {(m["job"], m["event"]): int(m["epoch_ms"]) for m in marks}
assert len(marks) == 4 and {j for j, _ in at} == {r"G13\x20job", "w"}, marks
for job in (r"G13\x20job", "w"):
    assert samples[0] <= at[job, "begin"] < at[job, "end"] <= samples[-1] + 1000, (marks, samples[0], samples[-1])
print("ok")
P
)"
if command -v gnuplot >/dev/null; then
    exits "plot of memory and jobs" 0 "" gnuplot -e "csv='$work/memory.csv'" contrib/memory.gnuplot
    same "bars of two jobs" 2 "$(grep -c "polygon fill = 'rgb(143, 184, 222)'" "$work/out")"
else
    skip "plot: no gnuplot"
fi

mkdir -p "$work/empty"
PARAMS=$work/empty start
same "no parameters" 503 "$(code "http://$http/readyz")"
stop
done_testing
