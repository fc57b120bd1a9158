#!/bin/sh
# Builds the client as a release does, with a key that only this run has, and installs it into the local repository. Options
# are for mvn. Run it in the folder of the client.
set -eu
keys=$(mktemp -d)
trap 'GNUPGHOME=$keys gpgconf --kill all; rm -rf "$keys"' EXIT
gpg() { command gpg --homedir "$keys" --batch --quiet "$@"; }

gpg --pinentry-mode loopback --passphrase '' --quick-gen-key rehearsal ed25519 sign 1d 2>/dev/null
MAVEN_GPG_KEY=$(gpg --armor --export-secret-keys)
export MAVEN_GPG_KEY
rm -f target/*.jar target/*.asc
mvn --quiet --batch-mode -Prelease "$@" install

# Maven Central refuses a release without one of these.
package=$(ls target/*-sources.jar)
package=${package%-sources.jar}
for file in "$package.jar" "$package-sources.jar" "$package-javadoc.jar" "$package.pom"; do
  signed=$file
  [ "$file" != "$package.pom" ] || signed=pom.xml
  gpg --verify "$file.asc" "$signed" 2>/dev/null || { echo "$file is not signed" >&2; exit 1; }
done
