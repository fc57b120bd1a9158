#!/usr/bin/env bash
# Builds the image without Docker, as an OCI image layout: usage: build.sh FOLDER
#
# The image is FOLDER:latest. Copy it to a registry with `skopeo copy oci:FOLDER:latest docker://…`, or load it with
# `podman load` or `docker load` from a tar archive of FOLDER. Its contents and settings are those of Dockerfile.
#
# Equal commits, Debian packages and versions of npm and umoci make equal digests. Needs Debian or Ubuntu with umoci
# and npm, and Node 26 as NODE or on the PATH.
set -euo pipefail

image=$(realpath -m "$1")
root=$(realpath "$(dirname "$0")/../..")
cd "$root"

for tool in umoci npm dpkg-deb apt-get; do
  command -v "$tool" >/dev/null || { echo "build.sh needs $tool: install the Debian package that has it." >&2; exit 1; }
done

NODE=$(realpath "${NODE:-$(command -v node)}")
case $("$NODE" --version) in
  v2[6-9].* | v[3-9][0-9].*) ;;
  *) echo "build.sh needs Node 26 or newer, and $NODE is $("$NODE" --version): set NODE." >&2; exit 1 ;;
esac
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export NODE SOURCE_DATE_EPOCH
revision=${REVISION:-$(git rev-parse HEAD)}
created=$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
version=$("$NODE" --print 'require("./package.json").version')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/source" "$work/build"
gateway=(packages/connect-gateway/{package.json,src,gen})
console=(packages/console/{package.json,build.ts,bundled-licenses.ts,src})
# Built with the development dependencies, which do not get into the image.
cp -r --parents package.json package-lock.json .npmrc src "${gateway[@]}" "${console[@]}" gen packaging/{bundle.ts,source-maps.js} \
  clients/README.md clients/*/README.md "$work/build"
if [ -d node_modules/esbuild ]; then
  ln -s "$root/node_modules" "$work/build/node_modules"
else
  (cd "$work/build" && npm ci --ignore-scripts --no-audit --loglevel error >/dev/null)
fi
"$NODE" "$work/build/packages/console/build.ts" >&2
"$NODE" "$work/build/packaging/bundle.ts" >&2
mv "$work/build/dist" "$work/source"
cp -r --parents package.json package-lock.json .npmrc "${gateway[@]}" gen deploy/image "$work/source"
(cd "$work/source" && npm ci --omit=dev --ignore-scripts --no-audit --loglevel error >/dev/null)
deploy/image/rootfs.sh "$work/source" "$work/rootfs"

rm -rf "$image"
umoci init --layout "$image"
umoci new --image "$image:latest"
for layer in base app; do
  tar --create --file "$work/$layer.tar" --directory "$work/rootfs/$layer" --sort=name --mtime="@$SOURCE_DATE_EPOCH" \
    --owner=0 --group=0 --numeric-owner --format=posix --pax-option=exthdr.name=%d/%f,delete=atime,delete=ctime .
  umoci raw add-layer --image "$image:latest" --history.created "$created" --history.created_by "$layer" \
    "$work/$layer.tar"
done
umoci config --image "$image:latest" --created "$created" --no-history \
  --config.user 65532:65532 --config.workingdir /app --config.stopsignal SIGTERM \
  --config.env PATH=/usr/bin --config.env NODE_ENV=production --config.env HOST=0.0.0.0 \
  --config.env ADMIN_ADDR=0.0.0.0:9464 \
  --config.exposedports 8080/tcp --config.exposedports 9464/tcp \
  --config.entrypoint /usr/bin/node --config.entrypoint=--disable-sigusr1 \
  --config.entrypoint=--max-semi-space-size=16 --config.cmd dist/start.js \
  --config.label org.opencontainers.image.title=inventory-service \
  --config.label "org.opencontainers.image.description=Inventory service for pet stores" \
  --config.label "org.opencontainers.image.version=$version" \
  --config.label "org.opencontainers.image.revision=$revision" \
  --config.label "org.opencontainers.image.created=$created" \
  --config.label org.opencontainers.image.licenses=Apache-2.0
umoci gc --layout "$image"

"$NODE" --print "JSON.parse(fs.readFileSync('$image/index.json')).manifests[0].digest"
