#!/bin/sh
# Generates the committed code of all clients. Needs Go, and Maven with a JDK. The Python environment of
# `npm run test:clients -- python` must exist.
set -eu
cd "$(dirname "$0")/.."
[ -x test/clients/java/plugins/protoc-gen-grpc-java.exe ] || {
  mvn -q -B -f test/clients/java initialize
  chmod +x test/clients/java/plugins/*.exe
}
for language in typescript go java python; do
  buf generate --template "clients/$language/buf.gen.yaml"
done
node clients/generate-reasons.ts
gofmt -w clients/go/reasons.go
npx biome format --write clients/typescript/src/reason.ts
