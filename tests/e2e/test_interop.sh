# Clients that are not ours (interop/): python3-grpcio always, grpc-go where go and its modules are.
. "$E2E/lib.sh"
daemon=$(dirname "$CUZK")/tests/e2e/test_daemon
for language in python go; do
    "$ROOT/interop/$language/check.sh" "$daemon" "$ROOT/proto" >"$work/out" 2>&1
    case $? in
    0) pass "$language client: $(grep -c '^ok ' "$work/out") groups of checks" ;;
    77) skip "$language client: $(grep SKIP "$work/out")" ;;
    *) fail "$language client: $(tail -5 "$work/out")" ;;
    esac
done
done_testing
