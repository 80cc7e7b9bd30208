# Cases of the list over gRPC with real parameters: A01 A09 A11 A15 A16 A21 A22 A23 A26 C01 D02 G14. Needs python3-grpcio.
. "$E2E/lib.sh"
cd "$ROOT"
python=/usr/bin/python3
if ! "$python" -c 'import grpc' 2>/dev/null; then
    skip "no python3-grpcio"
    done_testing
fi
for circuit in winning-2k wpost-2k snap-2k porep-2k; do params_for "$circuit"; done
"$python" tests/e2e/wire_cases.py "$CUZK" "$PARAMS" "$work" || fail "wire_cases.py"
done_testing
