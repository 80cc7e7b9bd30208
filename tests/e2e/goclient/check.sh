#!/bin/sh
# Builds the Go client and runs its checks against the daemon with the fake prover.
#   check.sh GO_SOURCE_DIR TEST_DAEMON WORK_DIR
# Exit 77 (skipped) without go or its modules.
set -u
src=$1 daemon=$2 work=$3
command -v go >/dev/null || { echo "SKIP: no go"; exit 77; }
mkdir -p "$work"
(cd "$src" && go build -o "$work/goclient" .) || { echo "SKIP: goclient does not build"; exit 77; }
dir=$(mktemp -d) || exit 1
CUZK_LOG=warn "$daemon" --serve "unix://$dir/s" 60 &
pid=$!
for _ in $(seq 200); do [ -S "$dir/s" ] && break; sleep 0.05; done
"$work/goclient" -addr "unix://$dir/s" check
rc=$?
kill "$pid" && wait "$pid" || rc=1
rm -r "$dir"
exit $rc
