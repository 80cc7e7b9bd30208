# Shared by the end-to-end tests: checks that count, and the parameters that several tests need.
set -uo pipefail
n_failed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/cuzk-e2e.XXXXXX")
finish() {
    if declare -F cleanup >/dev/null; then cleanup; fi
    rm -rf "$work"
}
trap finish EXIT

pass() { echo "PASS $*"; }
fail() { echo "FAIL $*"; n_failed=$((n_failed + 1)); }
skip() { echo "SKIP $*"; }

# same NAME WANT GOT
same() {
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1: want \"$2\", got \"$3\""; fi
}

# exits NAME CODE PATTERN COMMAND...: exit code, and what stderr must say (extended regex).
exits() {
    local name=$1 code=$2 pattern=$3 got
    shift 3
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ "$got" != "$code" ]; then
        fail "$name: exit code $got instead of $code; stderr: $(head -c 400 "$work/err")"
    elif [ -n "$pattern" ] && ! grep -Eq "$pattern" "$work/err"; then
        fail "$name: stderr does not match /$pattern/: $(head -c 400 "$work/err")"
    else
        pass "$name"
    fi
}

# params_for CIRCUIT: test parameters in $PARAMS, made once.
params_for() {
    local stamp=$PARAMS/$1.made
    [ -f "$stamp" ] && return
    "$CUZK" params make "$1" --insecure-test-secrets --out "$PARAMS" >"$work/make.log" 2>&1 || {
        fail "params make $1: $(cat "$work/make.log")"
        exit 1
    }
    touch "$stamp"
}

stem_of() { "$CUZK" circuits | awk -v c="$1" '$1 == c {print $NF}'; }

done_testing() {
    [ "$n_failed" = 0 ] || echo "$n_failed checks failed"
    exit $((n_failed > 0))
}
