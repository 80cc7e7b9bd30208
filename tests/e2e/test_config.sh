# Settings as the daemon sees them, its log, SIGHUP, the service manager. Cases G02 G05 G06 G14 C20.
. "$E2E/lib.sh"
cd "$ROOT"
sock=$work/cuzk.sock
address=unix://$sock
log=$work/log
daemon=
listener=
mkdir -p "$work/params"
export FIL_PROOFS_PARAMETER_CACHE=$work/params

cleanup() {
    [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null
    [ -z "$listener" ] || kill "$listener" 2>/dev/null
}
# until_ok WHAT COMMAND...: waits at most 20 s for the command to succeed.
until_ok() {
    local what=$1
    shift
    for _ in $(seq 200); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    fail "$what: not within 20 s"
    return 1
}
answers() { "$CUZK" status --address "$address"; }
# start OPTION...: a daemon whose stderr is $log.
start() {
    : >"$log"
    "$CUZK" serve "$@" 2>"$log" &
    daemon=$!
    until_ok "start" answers || { cat "$log"; exit 1; }
}
stop() {
    kill -TERM "$daemon"
    wait "$daemon"
    same "exit code" 0 "$?"
    daemon=
}
logs() { if grep -Eq -- "$2" "${3:-$log}"; then pass "$1"; else fail "$1: no /$2/ in $(cat "${3:-$log}")"; fi; }

# G05: files of all kinds
exits "G05 no such file" 5 "nosuch.toml" "$CUZK" serve --config "$work/nosuch.toml"
exits "G05 no such file, from the environment" 5 "nosuch.toml" env CUZK_CONFIG="$work/nosuch.toml" "$CUZK" serve
exits "G05 a folder" 6 "not a regular file" "$CUZK" serve --config "$work"
printf '[memory]\ntotal_bugdet = "1GiB"\n' >"$work/typo.toml"
exits "G01 a typo" 2 'typo.toml:2: unknown key "total_bugdet" in \[memory\]; did you mean total_budget' \
    "$CUZK" serve --config "$work/typo.toml"
exits "G01 the same in check" 2 'typo.toml:2' "$CUZK" config check "$work/typo.toml"
if [ ! -e /etc/cuzk/cuzk.toml ] && [ ! -e /data/zk/cuzk.toml ]; then
    start --listen "$address"
    logs "G05 no default file is told" "info no configuration file"
    stop
fi

# G06: addresses
for bad in tcp:// unix:// unix://relative 127.0.0.1:70000 127.0.0.1 ""; do
    exits "G06 listen \"$bad\"" 2 "listen|address" "$CUZK" config check --config "" --listen "$bad"
done
exits "G06 [::1]:0" 0 "" "$CUZK" config check --config "" --listen "[::1]:0"

exits "http.listen is no unix socket" 2 "http.listen" "$CUZK" config check --config "" --http unix:///x
exits "a certificate without its key" 2 "go together" "$CUZK" config check --config "" --set daemon.tls_cert=c
exits "preload: no such circuit" 2 "srs.preload.*porep-33g" "$CUZK" config check --config "" --preload porep-33g

# G02: the established daemon's file
sample=tests/data/config/established.toml
exits "G02 the sample listens for everybody" 2 "insecure" "$CUZK" config check $sample
exits "G02 the sample, with that allowed" 0 "gpus.gpu_threads has no effect" \
    env CUZK_DAEMON_INSECURE=1 "$CUZK" config check $sample
start --config $sample --listen "$address"
pass "G02 the sample starts"
logs "G02 what has no effect is told" "info .*gpus.gpu_threads has no effect"
stop
exits "G02 old names" 0 "warning: .*memory.pinned_budget has no effect any more; use memory.total_budget" \
    "$CUZK" config check tests/data/config/established-old.toml

# file < environment < flag, and where each came from
cat >"$work/c.toml" <<T
[daemon]
listen = "$address"
max_jobs = 11
result_ttl = "2h"
[logging]
level = "debug"
format = "json"
file = "$work/daemon.log"
T
CUZK_DAEMON_MAX_JOBS=22 CUZK_DAEMON_RESULT_TTL=3h "$CUZK" config show --config "$work/c.toml" --max-jobs 33 >"$work/show"
logs "show: flag" 'max_jobs = 33  # flag --max-jobs' "$work/show"
logs "show: environment" 'result_ttl = "3h"  # environment CUZK_DAEMON_RESULT_TTL' "$work/show"
logs "show: file" 'format = "json"  # .*/c.toml:7' "$work/show"
logs "show: default" 'max_results = 1000  # default' "$work/show"
exits "G07 a boolean that is none" 2 "CUZK_DAEMON_INSECURE.*banana" env CUZK_DAEMON_INSECURE=banana "$CUZK" config check --config ""

"$CUZK" config check tests/data/config/established-old.toml --json >"$work/json" 2>/dev/null
same "check --json" "True 3" "$(python3 -c '
import json, sys
c = json.load(open(sys.argv[1]))
print(c["ok"], len(c["notes"]) if all(n["warning"] for n in c["notes"]) else c["notes"])' "$work/json")"
exits "RUST_LOG is told to be of no use" 0 "note: environment RUST_LOG: has no effect" \
    env RUST_LOG=debug "$CUZK" config check --config ""

# the log in a file as JSON; SIGHUP
json_lines() {
    python3 - "$1" <<'P'
import json, sys
lines = open(sys.argv[1], "rb").read().splitlines()
assert lines
for line in lines:
    assert len(line) < 4096
    assert list(json.loads(line)) == ["time", "level", "component", "job", "msg"], line
print(len(lines), "lines")
P
}
start --config "$work/c.toml"
logs "the log goes to the file" '"level":"info","component":"rpc","job":"","msg":"listening on' "$work/daemon.log"
same "nothing on stderr" "" "$(cat "$log")"
if json_lines "$work/daemon.log" >/dev/null; then pass "G14 every line is JSON"; else fail "G14 every line is JSON"; fi
mv "$work/daemon.log" "$work/daemon.log.1"
sed -i 's/json/logfmt/' "$work/c.toml"
kill -HUP "$daemon"
until_ok "SIGHUP opens the file anew" test -s "$work/daemon.log"
logs "SIGHUP: new file, new format" '^time=[^ ]* level=info component=rpc job="" msg="SIGHUP' "$work/daemon.log"
echo 'formt = 1' >>"$work/c.toml"
kill -HUP "$daemon"
until_ok "SIGHUP with a bad file" grep -q "stays as it was" "$work/daemon.log"
logs "SIGHUP with a bad file names the line" 'c.toml:9: unknown key' "$work/daemon.log"
answers >/dev/null && pass "and the daemon goes on"
stop

# G14: a job with a strange name, in each format
for format in text logfmt json; do
    start --listen "$address" --log-format "$format" --log-level debug
    "$CUZK" submit tests/data/porep-2k-a --address "$address" --out "$work/proof" \
        --id "$(python3 -c 'print("é\"\\" * 60)')" >"$work/out" 2>&1
    [ $format != json ] || json_lines "$log" >/dev/null || fail "G14 JSON with a strange job"
    if LC_ALL=C grep -q '[^ -~]' "$log"; then fail "G14 $format: raw bytes in the log"; else pass "G14 $format: printable"; fi
    if awk 'length > 4095 {exit 1}' "$log"; then pass "G14 $format: short lines"; else fail "G14 $format: a long line"; fi
    stop
done

# C20: a log that cannot be written
"$CUZK" serve --listen "$address" --log-level debug 2> >(head -c 1 >/dev/null) &
daemon=$!
until_ok "C20 start with a pipe that closes" answers
for _ in 1 2 3; do answers >/dev/null || fail "C20 closed pipe: the daemon is gone"; done
pass "C20 a pipe that closes"
stop
"$CUZK" serve --listen "$address" 2>&- &
daemon=$!
until_ok "C20 start without a stderr" answers && pass "C20 no stderr"
stop
start --listen "$address" --log-file /dev/full
answers >/dev/null && pass "C20 a full disk"
stop
exits "a log file that cannot be made" 6 "cannot open /proc/nowhere/x" "$CUZK" serve --listen "$address" --log-file /proc/nowhere/x

# http.listen, also under its old name
printf '[daemon]\nstatus_listen = "127.0.0.1:0"\n' >"$work/http.toml"
start --config "$work/http.toml" --listen "$address"
port=$(sed -n 's/.*http on 127.0.0.1:\([0-9]*\)$/\1/p' "$log")
same "G02 status_listen serves" "ok" "$(python3 -c 'import sys, urllib.request as u
print("ok" if u.urlopen("http://127.0.0.1:%s/status" % sys.argv[1]).status == 200 else "bad")' "$port")"
stop
start --listen "$address" --http ""
if grep -q "http on" "$log"; then fail "http off"; else pass "http off"; fi
stop

# who may write to the socket
start --listen "$address" --set daemon.socket_mode=0660
same "daemon.socket_mode" 660 "$(stat -c %a "$sock")"
stop

# the service manager
for notify in "$work/notify" "@cuzk-test-$$"; do
    python3 tests/e2e/sd_socket.py "$notify" "$work/notified" &
    listener=$!
    until_ok "listener" grep -q listening "$work/notified"
    export NOTIFY_SOCKET=$notify WATCHDOG_USEC=400000
    start --listen "$address"
    until_ok "READY" grep -q '^READY=1' "$work/notified"
    until_ok "WATCHDOG" eval '[ $(grep -c ^WATCHDOG=1 "$work/notified") -ge 3 ]'
    stop
    until_ok "STOPPING" grep -q '^STOPPING=1|STATUS=.*|EXTEND_TIMEOUT_USEC=100000000' "$work/notified"
    same "notified over $(echo "$notify" | cut -c1): order" "READY WATCHDOG STOPPING" \
        "$(grep -Eo '^(READY|WATCHDOG|STOPPING)' "$work/notified" | uniq | paste -sd' ' | sed 's/ WATCHDOG$//')"
    kill "$listener"
    wait "$listener" 2>/dev/null
    listener=
    rm -f "$work/notified"
done
python3 tests/e2e/sd_socket.py "$work/notify2" "$work/notified" &
listener=$!
until_ok "listener" grep -q listening "$work/notified"
params_for porep-2k
export NOTIFY_SOCKET=$work/notify2
unset WATCHDOG_USEC
start --listen "$address" --params "$PARAMS" --preload porep-2k
until_ok "STATUS after loading" eval 'grep -v READY "$work/notified" | grep -q "^STATUS=serving$"' && pass "STATUS after loading"
until_ok "preloaded" eval 'answers | grep -q "porep-2k"' && pass "srs.preload loads"
stop
kill "$listener"
wait "$listener" 2>/dev/null
listener=
export WATCHDOG_PID=1 WATCHDOG_USEC=400000
start --listen "$address"
stop
unset NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID

# what lies in contrib/
completes() {
    local got
    got=$(cd "$work" && PATH="$(dirname "$CUZK"):$PATH" bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cuzk; echo "${COMPREPLY[@]}"' \
        x "$ROOT/contrib/completion/cuzk.bash" cuzk "${@:2}")
    same "completion of ${*:2}" "$1" "$got"
}
completes "config" con
completes "check" config ch
completes "--log-level --log-format --log-file" serve --log
completes "logging.level=" serve --set logging.le
completes "debug" serve --log-level d
exits "the sample file" 0 "" "$CUZK" config check contrib/cuzk.toml
if command -v systemd-analyze >/dev/null; then
    sed "s|/usr/bin/cuzk|$(realpath "$CUZK")|" contrib/systemd/cuzk.service >"$work/cuzk.service"
    exits "the unit" 0 "" systemd-analyze verify --man=no "$work/cuzk.service"
else
    skip "the unit: no systemd-analyze"
fi
done_testing
