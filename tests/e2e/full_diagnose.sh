# `cuzk diagnose` finds what was planted, and accuses nobody where nothing was. Needs a quiet machine and, at
# 0.25 s a proof, half an hour; run it with tests/e2e/run BUILD full_diagnose.
#
# Regressions are planted in a build of their own (CUZK_PLANT, src/base/plant.h), each tied to one of five
# switches that do nothing else: a delay proportional to the work of one of ten phases, memory alone, or a delay
# while two switches are on together.
#
# SEEDS, INNOCENT: how many of each (20); CLOCK: wall or cpu (disturbed less on a shared machine); DELAY: percent
# of the whole proof that a planted delay takes (10; of processor time it is less, since one thread alone is
# delayed); MAX_BLOCKS, CIRCUIT, PLANT_BUILD. JOBS: so many diagnoses at a time, each on processors of its own (1: on
# all of them). RESULTS: a file of one JSON line a diagnosis; those that it has are not made again.
. "$E2E/lib.sh"

seeds=${SEEDS:-20} innocent=${INNOCENT:-20} clock=${CLOCK:-wall} delay=${DELAY:-10}
max_blocks=${MAX_BLOCKS:-12} circuit=${CIRCUIT:-winning-2k} jobs=${JOBS:-1} results=${RESULTS:-$work/results}
plant_build=${PLANT_BUILD:-$(dirname "$CUZK")/plant}

params_for "$circuit"
if [ ! -x "$plant_build/cuzk" ]; then
    cmake -S "$ROOT" -B "$plant_build" -G Ninja -DCUZK_PLANT=ON -DBUILD_TESTING=OFF >"$work/build.log" 2>&1 &&
        ninja -C "$plant_build" cuzk >>"$work/build.log" 2>&1 || {
        fail "build with CUZK_PLANT: $(tail -5 "$work/build.log")"
        done_testing
    }
fi
"$CUZK" synth request "$circuit" --out "$work/request" >/dev/null 2>"$work/err" || {
    fail "synth: $(cat "$work/err")"
    done_testing
}

touch "$results"

# The processors of shard K: an equal share of those that we may use, by number.
processors() {
    python3 -c 'import os, sys
all, k, jobs = sorted(os.sched_getaffinity(0)), int(sys.argv[1]), int(sys.argv[2])
n = max(1, len(all) // jobs)
print(",".join(str(all[(k * n + i) % len(all)]) for i in range(n)))' "$1" "$jobs"
}

# on K COMMAND...: on the processors of shard K.
on() {
    local set
    set=$(processors "$1")
    shift
    taskset -c "$set" "$@"
}

# Share of each phase, from three plain proofs.
for i in 1 2 3; do
    on 0 "$plant_build/cuzk" prove "$work/request" --params "$PARAMS" --out "$work/proof" --srs resident --json \
        >"$work/profile.$i" 2>"$work/err" || {
        fail "prove: $(cat "$work/err")"
        done_testing
    }
done

# what SEED: "SPEC|WANTED"; SPEC for CUZK_PLANT, WANTED as `named` prints it.
what() {
    python3 - "$1" "$delay" "$work"/profile.* <<'PY'
import json, random, sys
seed, delay, profiles = int(sys.argv[1]), float(sys.argv[2]), [json.load(open(p)) for p in sys.argv[3:]]
places = ["check", "srs_load", "witness", "ntt", "msm_h", "msm_l", "msm_a", "msm_b1", "msm_b2", "self_check"]
rng = random.Random(seed)
one, two = sorted(rng.sample(["P1", "P2", "P3", "P4", "P5"], 2))
place = places[seed % 10]
def ms(profile, name):
    return sum(p["ms"] for p in profile["phases"] if p["phase"] == name)
share = sorted(ms(p, place) / (1000 * p["seconds"]) for p in profiles)[1]
percent = delay / share
if seed % 10 == 8 and seed >= 10:
    print(f"on={one},memory=24||{one} more memory")
elif seed % 10 in (3, 9) and seed >= 10:
    print(f"on={one}+{two},place={place},percent={percent:.0f}|{one} + {two} slower in {place}|")
else:
    print(f"on={one},place={place},percent={percent:.0f}|{one} slower in {place}|")
PY
}

# record KIND SEED PLANT WANTED RESULT: one line of $results. What is accused is written "TIME|MEMORY".
record() {
    python3 - "$@" "$clock" >>"$results" <<'PY'
import json, sys
kind, seed, plant, wanted, result, clock = sys.argv[1:]
r = json.load(open(result))
v = r["verdicts"]
got = (";".join(f"{x['name']} {x['time']} in {x['phase']}" for x in v if x["time"] in ("slower", "faster"))
       + "|" + ";".join(f"{x['name']} {x['memory']}" for x in v if "memory" in x["memory"]))
print(json.dumps({"kind": kind, "seed": int(seed), "plant": plant, "wanted": wanted, "got": got, "ok": got == wanted,
                  "clock": clock, "blocks": r["blocks"], "run_ms": round(r["run_ms"], 1),
                  "known_within_percent": round(r["precision_percent"], 2)}))
PY
}

have() { grep -q "^{\"kind\": \"$1\", \"seed\": $2," "$results"; }

# diagnose K KIND SEED PLANT WANTED
diagnose() {
    have "$2" "$3" && return
    CUZK_PLANT=$4 on "$1" "$plant_build/cuzk" diagnose --switches P1,P2,P3,P4,P5 --workload "$work/request" \
        --params "$PARAMS" --clock "$clock" --seed "$3" --max-blocks "$max_blocks" --max-time 3600 --json \
        >"$work/result.$1" 2>"$work/err.$1" || {
        echo "  seed $3: $(tail -3 "$work/err.$1")"
        return
    }
    record "$2" "$3" "$4" "$5" "$work/result.$1"
}

# shard K: each JOBS-th seed.
shard() {
    local i answer
    for ((i = $1; i < seeds; i += jobs)); do
        answer=$(what "$i")
        diagnose "$1" planted "$i" "${answer%%|*}" "${answer#*|}"
    done
    for ((i = $1; i < innocent; i += jobs)); do
        diagnose "$1" innocent $((1000 + i)) "" "|"
    done
}

for ((k = 0; k < jobs; k++)); do shard "$k" & done
wait

# "NAMED FALSE MISSING" of the seeds that were asked for; what went otherwise is told.
read -r n_named n_false n_missing <<<"$(python3 - "$results" "$seeds" "$innocent" <<'PY'
import json, sys
seeds, innocent = int(sys.argv[2]), int(sys.argv[3])
r = {(x["kind"], x["seed"]): x for x in map(json.loads, open(sys.argv[1]))}
planted = [r.get(("planted", i)) for i in range(seeds)]
clean = [r.get(("innocent", 1000 + i)) for i in range(innocent)]
for x in planted + clean:
    if x and not x["ok"]:
        print(f"  {x['kind']}, seed {x['seed']}: {x['plant']}: want \"{x['wanted']}\", got \"{x['got']}\"", file=sys.stderr)
print(sum(bool(x and x["ok"]) for x in planted), sum(bool(x and not x["ok"]) for x in clean),
      sum(x is None for x in planted + clean))
PY
)"
same "diagnoses that did not end" 0 "$n_missing"
if [ "$n_named" -ge $((seeds - (seeds + 19) / 20)) ]; then
    pass "planted regressions named: $n_named of $seeds"
else
    fail "planted regressions named: $n_named of $seeds"
fi
same "false accusations in $innocent runs of an unchanged build" 0 "$n_false"
done_testing
