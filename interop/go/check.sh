#!/bin/sh
# grpc-go against the daemon with the fake prover: check.sh TEST_DAEMON PROTO_DIR. Exit 77: skipped,
# without go or its modules (they are fetched once). pb/ is generated from our proto.
set -u
daemon=$(realpath "$1") proto=$(realpath "$2") here=$(dirname "$(realpath "$0")")
command -v go >/dev/null || { echo "SKIP no go"; exit 77; }
command -v protoc >/dev/null || { echo "SKIP no protoc"; exit 77; }
dir=$(mktemp -d) || exit 1
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
mkdir "$dir/src" && cp "$here"/*.go "$here"/go.* "$dir/src" && cd "$dir/src" || exit 1
go mod download 2>"$dir/err" || { echo "SKIP go modules cannot be fetched: $(tail -1 "$dir/err")"; exit 77; }
go build -o "$dir/protoc-gen-go" google.golang.org/protobuf/cmd/protoc-gen-go || exit 1
protoc --plugin="$dir/protoc-gen-go" --proto_path="$proto" --go_out=. --go_opt=module=cuzk/interop/go \
    --go_opt=Mcuzk/v1/proving.proto=cuzk/interop/go/pb cuzk/v1/proving.proto || exit 1
go build -o "$dir/goclient" . || exit 1

"$daemon" --serve "unix://$dir/s" 60 127.0.0.1:0 2>"$dir/log" &
pid=$!
tcp=
for _ in $(seq 200); do
    tcp=$(grep -Eo '127\.0\.0\.1:[0-9]+' "$dir/log" | head -1)
    [ -n "$tcp" ] && break
    sleep 0.05
done
"$dir/goclient" -addr "unix://$dir/s" check || exit 1
"$dir/goclient" -addr "$tcp" check || exit 1
"$dir/goclient" -addr "$tcp" drain "$pid" || exit 1
wait "$pid" || { echo "the daemon ended with $?"; exit 1; }
pid=
