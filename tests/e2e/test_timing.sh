# Phases and wall time of every kind of proof; timing lines and trace files of the program.
. "$E2E/lib.sh"
cd "$ROOT"

# covered REQUEST CIRCUIT: the phases of a proof sum to its wall time within 2 %.
covered() {
    params_for "$2"
    exits "prove $1" 0 "" "$CUZK" prove "tests/data/$1" --out "$work/proof" --params "$PARAMS" \
        --json --trace "$work/$1.trace"
    same "phases of $1 cover its time" ok "$(python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
s = sum(p["ms"] for p in d["phases"]) / 1e3
print("ok" if abs(s / d["seconds"] - 1) <= 0.02 else f"sum {s} of {d}")' "$work/out")"
    same "trace file of $1" ok "$(python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
assert all(k in e for e in events for k in ("ph", "name", "pid", "tid", "ts"))
assert all(e["dur"] >= 0 for e in events if e["ph"] == "X")
names = {e["name"] for e in events}
assert {"check", "witness", "ntt", "msm_h", "msm_b2", "self_check"} <= names, names
print("ok")' "$work/$1.trace")"
}
covered winning-2k winning-2k
covered window-2k-1 wpost-2k
covered porep-2k-a porep-2k
covered update-2k snap-2k

# lines: to a file, and to a pipe whose reader has gone
prove() { "$CUZK" prove tests/data/window-2k-1 --out "$work/proof" --params "$PARAMS"; }
CUZK_TIMING=1 prove >"$work/out" 2>"$work/err"
line='^CUZK_TIMING: phase=[a-z0-9_]+ job=wpost-2k partition=-?[0-9]+ ms=[0-9]+\.[0-9]{3}$'
same "text lines" "$(grep -c '^CUZK_TIMING' "$work/err")" "$(grep -Ec "$line" "$work/err")"
grep -q 'phase=msm_h .* partition=0 ' "$work/err" && pass "names the partition" || fail "no msm_h line"
CUZK_TIMING=json prove >"$work/out" 2>"$work/err"
same "JSON lines" ok "$(grep '^{' "$work/err" | python3 -c '
import json, sys
t = [json.loads(l)["cuzk_timing"] for l in sys.stdin]
assert {"phase", "job", "partition", "ms"} <= set(t[0]) and any(x["phase"] == "msm_h" for x in t)
print("ok")')"
mkfifo "$work/gone"
true <"$work/gone" &
CUZK_TIMING=1 prove >"$work/out" 2>"$work/gone"
same "stderr is a closed pipe" 0 "$?"
done_testing
