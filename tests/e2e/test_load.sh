# Under load: C13 many submissions, C14 GetStatus while all cores prove. Needs python3-grpcio.
. "$E2E/lib.sh"
cd "$ROOT"
python=/usr/bin/python3
if ! "$python" -c 'import grpc' 2>/dev/null; then
    skip "C13, C14: no python3-grpcio"
    done_testing
fi
protoc --proto_path=proto --python_out="$work" cuzk/v1/proving.proto || { fail "protoc"; done_testing; }
address=unix://$work/s
daemon=
cleanup() { [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; }
load() { "$python" interop/python/load.py "$work" "$address" "$@" >"$work/out" 2>&1; }
# ended NAME: what load did, and the daemon's end by two signals
ended() {
    if [ "$1" = 0 ]; then pass "$2: $(cat "$work/out")"; else fail "$2: $(tail -3 "$work/out")"; fi
    kill "$daemon"
    sleep 0.2
    kill -INT "$daemon" 2>/dev/null
    wait "$daemon"
    daemon=
    rm -f "$work/s"
}

"$(dirname "$CUZK")/tests/e2e/test_daemon" --serve "$address" 0 2>"$work/log" &
daemon=$!
for _ in $(seq 100); do [ -S "$work/s" ] && break; sleep 0.1; done
load flood 1500 "$daemon"
ended $? "C13"

# a tool that never answers must not be waited for
mkdir "$work/bin"
printf '#!/bin/sh\nsleep 1000\n' >"$work/bin/nvidia-smi"
chmod +x "$work/bin/nvidia-smi"
params_for porep-2k
PATH=$work/bin:$PATH "$CUZK" serve --listen "$address" --params "$PARAMS" --grace 0 2>"$work/log" &
daemon=$!
for _ in $(seq 100); do "$CUZK" status --address "$address" >/dev/null 2>&1 && break; sleep 0.1; done
for i in 1 2 3 4 5 6; do
    "$CUZK" submit tests/data/porep-2k-a --id "j$i" --no-wait --address "$address" >/dev/null || fail "submit $i"
done
load status 6
ended $? "C14"
done_testing
