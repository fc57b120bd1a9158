#!/bin/sh
# Generates the code of the named clients, or of all: `npm run task generate-clients -- java`. The builds of the TypeScript,
# Python and Java packages call this. Only Go's code is committed, because `go get` builds nothing.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"
command -v buf >/dev/null || {
  echo "buf is missing. Run \`npm ci\` in $PWD first." >&2
  exit 1
}

for language in ${*:-go java python typescript}; do
  case $language in
    java)
      # mvn has copied the plugins there.
      [ -e clients/java/target/plugins/protoc.exe ] || mvn -q -B -f clients/java initialize
      chmod +x clients/java/target/plugins/*.exe
      ;;
    python)
      # The build backend sets PYTHON to the Python that has grpcio-tools.
      if [ -z "${PYTHON-}" ]; then
        PYTHON=clients/python/.venv/bin/python
        [ -x "$PYTHON" ] || python3 -m venv clients/python/.venv
        "$PYTHON" -m pip install -q "$(grep '^grpcio-tools==' test/system/clients/python/requirements.txt)"
      fi
      PATH="$(dirname "$PYTHON"):$PATH"
      ;;
  esac
  buf generate --template "clients/$language/buf.gen.yaml"
  node clients/generate-reasons.ts "$language"
  [ "$language" != go ] || gofmt -w clients/go/reasons.go
done
