# `cuzk diagnose` finds what was planted, and accuses nobody where nothing was. Needs a quiet machine and, at
# 0.25 s a proof, half an hour; run it with tests/e2e/run BUILD full_diagnose.
#
# Regressions are planted in a build of their own (CUZK_PLANT, src/base/plant.h), each tied to one of five
# switches that do nothing else: a delay proportional to the work of one of ten phases, memory alone, or a delay
# while two switches are on together.
#
# SEEDS, INNOCENT: how many of each (20); CLOCK: wall or cpu (disturbed less on a shared machine); DELAY: percent
# of the whole proof that a planted delay takes (10; of processor time it is less, since one thread alone is
# delayed); MAX_BLOCKS, CIRCUIT, PLANT_BUILD.
. "$E2E/lib.sh"

seeds=${SEEDS:-20} innocent=${INNOCENT:-20} clock=${CLOCK:-wall} delay=${DELAY:-10}
max_blocks=${MAX_BLOCKS:-12} circuit=${CIRCUIT:-winning-2k}
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

diagnose() {
    "$plant_build/cuzk" diagnose --switches P1,P2,P3,P4,P5 --workload "$work/request" --params "$PARAMS" --clock "$clock" \
        --seed "$1" --max-blocks "$max_blocks" --max-time 3600 --json >"$work/result.json" 2>"$work/err" || {
        fail "diagnose, seed $1: $(tail -3 "$work/err")"
        done_testing
    }
}

# Share of each phase, from three plain proofs.
for i in 1 2 3; do
    "$plant_build/cuzk" prove "$work/request" --params "$PARAMS" --out "$work/proof" --srs resident --json \
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

# "TIME|MEMORY" of all that is accused.
named() {
    python3 - "$work/result.json" <<'PY'
import json, sys
v = json.load(open(sys.argv[1]))["verdicts"]
print(";".join(f"{x['name']} {x['time']} in {x['phase']}" for x in v if x["time"] in ("slower", "faster"))
      + "|" + ";".join(f"{x['name']} {x['memory']}" for x in v if "memory" in x["memory"]))
PY
}

n_named=0
for seed in $(seq 0 $((seeds - 1))); do
    answer=$(what "$seed")
    CUZK_PLANT=${answer%%|*} diagnose "$seed"
    got=$(named)
    if [ "$got" = "${answer#*|}" ]; then
        n_named=$((n_named + 1))
        echo "  seed $seed: ${answer%%|*}: named"
    else
        echo "  seed $seed: ${answer%%|*}: want \"${answer#*|}\", got \"$got\""
    fi
done
if [ "$n_named" -ge $((seeds - (seeds + 19) / 20)) ]; then
    pass "planted regressions named: $n_named of $seeds"
else
    fail "planted regressions named: $n_named of $seeds"
fi

n_false=0
for seed in $(seq 1000 $((999 + innocent))); do
    diagnose "$seed"
    got=$(named)
    [ "$got" = "|" ] || { n_false=$((n_false + 1)) && echo "  seed $seed: nothing planted, got \"$got\""; }
done
same "false accusations in $innocent runs of an unchanged build" 0 "$n_false"
done_testing
