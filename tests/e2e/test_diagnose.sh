# cuzk diagnose: options, a short diagnosis with both reports, going on, stopping. cuzk bench compare.
. "$E2E/lib.sh"
params_for winning-2k
"$CUZK" synth request winning-2k --out "$work/request" >/dev/null 2>&1 || fail "synth"
d=("$CUZK" diagnose --workload "$work/request" --params "$PARAMS")

exits "unknown switch" 64 "A9.*cuzk opts" "${d[@]}" --switches A1,A9
exits "a switch twice" 2 "A1 is named twice" "${d[@]}" --switches A1,a1
exits "precision out of range" 64 "precision" "${d[@]}" --precision 0
exits "precision is no number" 64 "precision" "${d[@]}" --precision 1x
exits "unknown clock" 64 "wall or cpu" "${d[@]}" --clock sun
exits "resume without state" 64 "state" "${d[@]}" --resume
exits "no such request" 5 "nothing-here" "$CUZK" diagnose --workload "$work/nothing-here"

short=(--switches A4 --min-blocks 2 --max-blocks 2 --clock cpu --state "$work/state")
exits "a short diagnosis" 0 "seed 1" "${d[@]}" "${short[@]}" --report "$work/r.html" --out "$work/r.json"
same "runs kept" 7 "$(wc -l <"$work/state")"
same "JSON report" "A4 6" "$(python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
print(r["verdicts"][0]["name"], r["runs"])' "$work/r.json")"
same "HTML report loads nothing" 0 "$(grep -cE 'https?://[^w]|src=|@import' "$work/r.html")"
exits "state exists" 5 "resume" "${d[@]}" "${short[@]}"
head -c -20 "$work/state" >"$work/cut" && mv "$work/cut" "$work/state"
exits "goes on after a cut line" 0 "" "${d[@]}" "${short[@]}" --resume --json
same "runs kept again" 7 "$(wc -l <"$work/state")"
exits "state of another workload" 2 "measures" "$CUZK" diagnose --workload winning-2k --params "$PARAMS" "${short[@]}" --resume

# SIGTERM ends it after the run in progress; the runs are kept.
rm -f "$work/state"
"${d[@]}" --switches A1,A4 --state "$work/state" >"$work/out" 2>"$work/err" &
pid=$!
for _ in $(seq 600); do
    [ -f "$work/state" ] && [ "$(wc -l <"$work/state")" -ge 2 ] && break
    sleep 0.1
done
kill -TERM "$pid"
wait "$pid"
same "stopped" 9 "$?"
if grep -q -- "--resume goes on" "$work/err"; then pass "says how to go on"; else fail "stopped: $(cat "$work/err")"; fi

# ---- compare
result() {
    echo "{\"schema\":1,\"bench\":\"${3:-prove}\",\"switches\":{\"A1\":$2},\"samples\":[{\"name\":\"total\",\"unit\":\"ms\",\"better\":\"lower\",
      \"values\":[$1]},{\"name\":\"rate\",\"unit\":\"1/s\",\"better\":\"higher\",\"values\":[5,5.1,5]}]}"
}
result "80,81,80,82,80" true >"$work/a"
result "90,91,90,92,90" false >"$work/b"
result "1,2,1" true micro >"$work/micro"
exits "equal" 0 "" "$CUZK" bench compare "$work/a" "$work/a"
exits "worse" 1 "1 of 2 samples are worse" "$CUZK" bench compare "$work/a" "$work/b"
exits "what differs is told" 1 "A1 \(switches\)" "$CUZK" bench compare "$work/a" "$work/b"
exits "better" 0 "" "$CUZK" bench compare "$work/b" "$work/a"
exits "within the threshold" 0 "" "$CUZK" bench compare "$work/a" "$work/b" --threshold 20
exits "of another bench" 2 "cannot be compared" "$CUZK" bench compare "$work/a" "$work/micro"
exits "not JSON" 2 "state" "$CUZK" bench compare "$work/a" "$work/state"
exits "not there" 5 "nothing" "$CUZK" bench compare "$work/a" "$work/nothing"
exits "threshold" 64 "threshold" "$CUZK" bench compare "$work/a" "$work/b" --threshold x
same "ratio" "1.125" "$("$CUZK" bench compare "$work/a" "$work/b" --json 2>/dev/null | python3 -c 'import json, sys
print(json.load(sys.stdin)["samples"][0]["ratio"])')"
done_testing
