# C19: a container's quirks. Read-only root, no /proc, no /dev/shm, no HOME, nothing else in the environment.
. "$E2E/lib.sh"
cd "$ROOT"
request=$(realpath tests/data/window-2k-1)
params_for wpost-2k
if ! unshare -rm bash -c 'mount -t tmpfs none /mnt && mount -o remount,bind,ro /' 2>/dev/null; then
    skip "C19: no namespaces of one's own here"
    done_testing
fi
# prints: exit code of submit, of verify, of the daemon; and the log
cat >"$work/inside" <<'E2'
cuzk=$1 params=$2 request=$3
mount -t tmpfs none /proc && mount -t tmpfs none /dev/shm && mount -t tmpfs none /mnt && mount -o remount,ro /dev/shm &&
    mount -o remount,bind,ro / || exit 1
cd /
"$cuzk" serve --config "" --listen unix:///mnt/s --http 127.0.0.1:0 --params "$params" 2>/mnt/log &
daemon=$!
for _ in $(seq 100); do [ -S /mnt/s ] && break; sleep 0.1; done
"$cuzk" submit "$request" --address unix:///mnt/s --out /mnt/proof >/mnt/out 2>&1
echo "submit $?"
"$cuzk" verify "$request" /mnt/proof --params "$params" >/mnt/out 2>&1
echo "verify $?"
kill "$daemon"
wait "$daemon"
echo "daemon $?"
cat /mnt/log
E2
unshare -rm env -i PATH="$PATH" bash "$work/inside" "$(realpath "$CUZK")" "$(realpath "$PARAMS")" "$request" >"$work/out" 2>&1
for line in "submit 0" "verify 0" "daemon 0"; do
    if grep -qx "$line" "$work/out"; then pass "C19 $line"; else fail "C19 $line: $(tail -5 "$work/out")"; fi
done
grep -q "memory budget: none, the system does not say" "$work/out" && pass "C19 the unknown memory is told" || fail "C19 budget: $(cat "$work/out")"
grep -q "memory monitor: .*going on without" "$work/out" && pass "C19 no memory monitor is told" || fail "C19 monitor: $(cat "$work/out")"
done_testing
