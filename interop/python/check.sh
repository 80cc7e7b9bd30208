#!/bin/sh
# python3-grpcio against the daemon with the fake prover: check.sh TEST_DAEMON PROTO_DIR. Exit 77:
# skipped, without python3-grpcio. Debian's python, since its packages are meant.
set -u
daemon=$(realpath "$1") proto=$(realpath "$2") here=$(dirname "$(realpath "$0")")
python=/usr/bin/python3
"$python" -c 'import grpc, google.protobuf' 2>/dev/null || { echo "SKIP no python3-grpcio"; exit 77; }
command -v protoc openssl >/dev/null || { echo "SKIP no protoc or openssl"; exit 77; }
dir=$(mktemp -d) || exit 1
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
protoc --proto_path="$proto" --python_out="$dir" cuzk/v1/proving.proto || exit 1
(cd "$proto" && protoc --proto_path=. --descriptor_set_out="$dir/all.bin" $(find . -name '*.proto' | sed 's|^\./||')) || exit 1

# port_of LOG: the TCP address that the daemon says it listens on
port_of() {
    for _ in $(seq 200); do
        grep -Eo '127\.0\.0\.1:[0-9]+' "$1" | head -1 | grep . && return
        sleep 0.05
    done
    cat "$1" >&2
}
"$daemon" --serve "unix://$dir/s" 60 127.0.0.1:0 2>"$dir/log" &
pid=$!
tcp=$(port_of "$dir/log")
"$python" "$here/check.py" "$dir" "unix://$dir/s" "$tcp" "$pid" || exit 1
wait "$pid" || { echo "the daemon ended with $?"; exit 1; }

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' -keyout "$dir/key" -out "$dir/cert" 2>/dev/null || exit 1
umask 077
token=$(openssl rand -hex 32)
echo "$token" >"$dir/token"
CUZK_TEST_TLS=$dir "$daemon" --serve 127.0.0.1:0 60 2>"$dir/log2" &
pid=$!
tcp=$(port_of "$dir/log2")
"$python" "$here/check.py" "$dir" --tls "$tcp" "$dir/cert" "$token" || exit 1
kill "$pid" && wait "$pid" || exit 1
pid=
