#!/usr/bin/env bash
# Checks a server with grpcurl and grpc_health_probe. The first run builds both tools with Go, at the versions below.
set -euo pipefail
cd "$(dirname "$0")/../../.."

tools=${XDG_CACHE_HOME:-$HOME/.cache}/inventory-service/grpcurl-1.9.4-probe-0.4.24
work=$(mktemp -d)
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

# fail WHAT [OUTPUT]
fail() {
  printf '%s\n' "FAILED: $1" "${@:2}" >&2
  exit 1
}

# Builds both from one module. `go install` would also request the list of all versions.
build_tools() {
  command -v go >/dev/null || fail 'go is not on the PATH. Install Go: it builds grpcurl and grpc_health_probe.'
  mkdir -p "$tools" "$work/tools"
  cat >"$work/tools/go.mod" <<'MOD'
module tools

go 1.24

require (
	github.com/fullstorydev/grpcurl v1.9.4
	github.com/grpc-ecosystem/grpc-health-probe v0.4.24
)
MOD
  (cd "$work/tools" && go build -mod=mod -o "$work/tools/bin/" \
    github.com/fullstorydev/grpcurl/cmd/grpcurl github.com/grpc-ecosystem/grpc-health-probe) ||
    fail 'the tools could not be built'
  mv "$work"/tools/bin/* "$tools/"
}

# start NAME [VARIABLE=VALUE…]: starts a server on a free port. Sets $server and $address.
start() {
  local log=$work/$1.log
  shift
  env PORT=0 ADMIN_ADDR= "$@" node_modules/.bin/node src/main.ts >"$log" 2>&1 &
  server=$!
  servers+=("$server")
  for _ in {1..200}; do
    address=$(grep -om1 'http://[0-9.:]*' "$log" | cut -d/ -f3 || true)
    if [ -n "$address" ]; then return; fi
    kill -0 "$server" 2>/dev/null || fail 'the server has exited:' "$(cat "$log")"
    sleep 0.1
  done
  fail 'the server did not log its address within 20 s:' "$(cat "$log")"
}

# check WHAT STATUS TEXT COMMAND…: the command must exit with this status, and its output must contain the text.
check() {
  local what=$1 status=$2 text=$3 ended=0 output
  shift 3
  output=$("$@" 2>&1) || ended=$?
  [ "$ended" = "$status" ] || fail "$what: the exit status is $ended, not $status:" "$output"
    [[ $output == *"$text"* ]] || fail "$what: the output does not contain '$text':" "$output"
  printf 'ok: %s\n' "$what"
}

[ -x "$tools/grpcurl" ] && [ -x "$tools/grpc-health-probe" ] || build_tools
grpcurl() { "$tools/grpcurl" -plaintext -max-time 20 "$@"; }
probe() { "$tools/grpc-health-probe" -addr "$address" "$@"; }

start embedded
key=$(grep -om1 'inv_[0-9a-z]*' "$work/embedded.log")
check 'grpcurl lists the services' 0 inventory.v1.InventoryService grpcurl "$address" list
check 'grpcurl describes a service, with the options of its methods' 0 'patch: "/v1/inventory/{pet_id}"' \
  grpcurl "$address" describe inventory.v1.InventoryService
check 'grpcurl calls a method with a key' 0 '"quantity": 42' \
  grpcurl -H "authorization: Bearer $key" -d '{"pet_id": 2, "update": {"quantity": 42}}' \
  "$address" inventory.v1.InventoryService/UpdateInventory
check 'grpcurl is refused without a key' 80 'Code: Unauthenticated' \
  grpcurl "$address" inventory.v1.InventoryService/ListInventory
check 'grpcurl shows the details of an error' 80 '"reason": "KEY_MISSING"' \
  grpcurl "$address" inventory.v1.InventoryService/ListInventory
check 'grpcurl receives the error of a method' 69 'Code: NotFound' \
  grpcurl -d '{"service": "unknown"}' "$address" grpc.health.v1.Health/Check
check 'grpc_health_probe reports the server as serving' 0 'status: SERVING' probe
check 'grpc_health_probe reports a service as serving' 0 'status: SERVING' probe -service store.v1.StoreService
check 'grpc_health_probe reports an unknown service' 3 NotFound probe -service unknown
