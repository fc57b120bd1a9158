#!/usr/bin/env bash
# Runs Connect's conformance suite against a server made of this project's front door and RPC parts.
# Needs Go. Takes about a minute.
#
#   test/system/conformance/run.sh [flags of connectconformance, such as --run '**/unary/**']
set -euo pipefail
cd "$(dirname "$0")/../../.."
export PATH="$PWD/node_modules/.bin:$PATH"

version=v1.0.7
cache=${XDG_CACHE_HOME:-$HOME/.cache}/inventory-service/conformance-$version

if [ ! -x "$cache/connectconformance" ]; then
  echo "building connectconformance $version"
  GOBIN="$cache" go install "connectrpc.com/conformance/cmd/connectconformance@$version"
fi
module=$(cd "$(mktemp -d)" && go mod download -json "connectrpc.com/conformance@$version" |
  node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).Dir')
buf generate "$module/proto" --template test/system/conformance/buf.gen.yaml
tsc -p test/system/conformance

"$cache/connectconformance" --mode server --parallel 8 --max-servers 2 \
  --conf test/system/conformance/config.yaml "$@" -- node test/system/conformance/server.ts
