#!/usr/bin/env bash
# Assembles the files of the image: usage: rootfs.sh SOURCE TARGET
#
# SOURCE has package.json, gen, deploy/image, dist of `npm run build`, and the node_modules of `npm ci --omit=dev`, which get
# into the list of contents only, because dist has their code.
# TARGET receives two folders, one for each layer: `base` (Node and the C libraries, which change rarely) and `app`.
#
# NODE names the program file of Node 26; the default is the `node` on the PATH. SOURCE_DATE_EPOCH, in seconds, is the
# time of all files, so that equal sources make equal layers (https://reproducible-builds.org/specs/source-date-epoch/).
#
# The libraries come from the Debian packages that this machine's apt offers. The packages are unpacked and not
# installed, so no shell and no package manager comes with them. The service needs no certificate bundle and no time
# zones: Node has its own.
set -euo pipefail

source=$(realpath "$1")
target=$(realpath -m "$2")
node=$(realpath "${NODE:-$(command -v node)}")
epoch=${SOURCE_DATE_EPOCH:?set SOURCE_DATE_EPOCH to the time of the commit: git log -1 --format=%ct}

umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$target"
base=$target/base
app=$target/app/app
mkdir -p "$base" "$app"

# Node's official builds link to libstdc++ and libatomic. These two need the C library and little else.
cd "$work"
packages=$(
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
    libstdc++6 libatomic1 | grep -E '^[a-z]' | sort -u
)
# shellcheck disable=SC2086 # a list of words
apt-get download -qq -o APT::Sandbox::User=root $packages ||
  { echo 'The Debian packages cannot be downloaded: run apt-get update first.' >&2; exit 1; }
mkdir -p "$base/var/lib/dpkg/status.d"
for file in *.deb; do
  dpkg-deb --extract "$file" "$base"
  # Scanners of vulnerabilities read the versions of the packages from here.
  dpkg-deb --field "$file" >"$base/var/lib/dpkg/status.d/$(dpkg-deb --field "$file" Package)"
done
rm -rf "$base"/usr/share/{lintian,man,gdb,gcc,bug} "$base"/usr/lib/*/{gconv,audit} "$base"/lib/*/gconv
find "$base/usr/share/doc" \( -type f -o -type l \) -not -name copyright -delete
find "$base/usr/share/doc" -type d -empty -delete

mkdir -p "$base"/{dev,etc,proc,run,sys,usr/bin}
install -m 755 "$node" "$base/usr/bin/node"
echo 'inventory:x:65532:65532:inventory:/nonexistent:/nonexistent' >"$base/etc/passwd"
echo 'inventory:x:65532:' >"$base/etc/group"
# Scanners of vulnerabilities read the distribution here.
install -m 644 /etc/os-release "$base/etc/os-release"
echo 'hosts: files dns' >"$base/etc/nsswitch.conf"
mkdir "$base/tmp"

cd "$source"
cp -r --parents package.json gen/openapi.json gen/rpc.json dist "$app"
mkdir "$app/deploy"
cp deploy/image/health.ts "$app/deploy/"
cp -r package.json node_modules packages "$work"
cd "$work"
npm pkg delete devDependencies scripts --loglevel error
# Not with --omit dev: npm would then leave out packages that other packages need for development too.
npm sbom --sbom-format cyclonedx --loglevel error |
  "$node" "$source/deploy/image/sbom.ts" "$node" "$work"/*.deb >"$app/sbom.cdx.json"
cd "$app"
npm pkg delete dependencies devDependencies scripts bin workspaces --loglevel error

# The mode of files must not depend on the clone: git keeps only the executable bit.
chmod -R u=rwX,go=rX "$target"
chmod 1777 "$base/tmp"
find "$target" -exec touch --no-dereference --date="@$epoch" {} +
