import names from "./names.json" with { type: "json" };

/** Where the version of the project stands, by the files that have it. `VERSION` is the version itself. */
export const versionPlaces: Readonly<Record<string, readonly string[]>> = {
  "package.json": ['  "version": "VERSION"', '"connect-gateway": "VERSION"'],
  "package-lock.json": [
    '"name": "inventory-service",\n  "version": "VERSION"',
    '"name": "inventory-service",\n      "version": "VERSION"',
    '"connect-gateway": "VERSION"',
    '"packages/connect-gateway": {\n      "version": "VERSION"',
    '"name": "inventory-console",\n      "version": "VERSION"',
  ],
  "packages/connect-gateway/package.json": ['  "version": "VERSION"'],
  "packages/connect-gateway/example/package.json": ['"connect-gateway": "^VERSION"'],
  "packages/console/package.json": ['  "version": "VERSION"', '"connect-gateway": "VERSION"'],
  "clients/typescript/package.json": ['  "version": "VERSION"'],
  "clients/python/pyproject.toml": ['\nversion = "VERSION"\n'],
  "clients/java/pom.xml": ["<artifactId>inventory-client</artifactId>\n  <version>VERSION<"],
  "clients/java/README.md": ["<artifactId>inventory-client</artifactId>\n  <version>VERSION<"],
  "clients/README.md": ["inventory-service-client-VERSION.tgz"],
  "test/system/packages/java/pom.xml": [
    "<artifactId>inventory-client</artifactId>\n      <version>VERSION<",
  ],
  Dockerfile: ['org.opencontainers.image.version="VERSION"'],
  "deploy/helm/inventory/Chart.yaml": ["\nversion: VERSION\n", "\nappVersion: VERSION\n"],
  "deploy/helm/inventory/values.yaml": ["digest: VERSION@sha256:"],
  "deploy/kubernetes/production/kustomization.yaml": ["newTag: VERSION\n"],
  "docs/operator/upgrading.md": ["$ inventory --version\nVERSION\n"],
  "README.md": [
    "inventory-service@VERSION",
    `${names.image}:VERSION`,
    "--version VERSION",
    "@inventory-service/client@VERSION",
    `${names.goModule}@vVERSION`,
    "inventory-service-client==VERSION",
    "inventory-client:VERSION",
    "connect-gateway@VERSION",
  ],
};

/**
 * Returns the text of a file with another version.
 *
 * @param path of the file, which is one of `versionPlaces`
 * @throws Error if the file lacks the present version at one of its places
 */
export function withVersion(path: string, text: string, present: string, next: string): string {
  let result = text;
  for (const place of versionPlaces[path] ?? []) {
    const found = place.replace("VERSION", present);
    if (!text.includes(found)) throw new Error(`${path} has no ${JSON.stringify(found)}`);
    result = result.replaceAll(found, place.replace("VERSION", next));
  }
  return result;
}
