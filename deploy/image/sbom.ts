/**
 * Completes the list of the image's contents (SBOM): reads the list of npm packages that `npm sbom` prints, adds Node
 * and Debian packages, and prints it without anything that differs between two builds.
 *
 * `npm sbom … | node sbom.ts NODE PACKAGE.deb…`, with SOURCE_DATE_EPOCH in seconds.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const [node = "", ...debs] = process.argv.slice(2);
const run = (...[file, ...args]: [string, ...string[]]) =>
  execFileSync(file, args, { encoding: "utf8" }).trim();

const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
const bom = JSON.parse(await text(process.stdin));

const nodeVersion = run(node, "--version").slice(1);
const program = {
  "bom-ref": `node@${nodeVersion}`,
  type: "platform",
  name: "node",
  version: nodeVersion,
  purl: `pkg:generic/node@${nodeVersion}`,
  cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`,
};

const distribution = /^ID=(.*)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "debian";
const libraries = debs.map((file) => {
  const field = (each: string) => run("dpkg-deb", "--field", file, each);
  const [library, release] = [field("Package"), field("Version")];
  const escaped = [library, release].map(encodeURIComponent).join("@");
  return {
    "bom-ref": `${library}@${release}`,
    type: "library",
    name: library,
    version: release,
    purl: `pkg:deb/${distribution}/${escaped}?arch=${field("Architecture")}`,
  };
});

bom.metadata.timestamp = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1_000).toISOString();
// npm takes the name of the folder.
Object.assign(bom.metadata.component, { type: "application", name, version });
bom.components.push(program, ...libraries);
bom.serialNumber = undefined;
// Equal contents have an equal number, as RFC 9562 allows for version 8.
const hash = createHash("sha256").update(JSON.stringify(bom)).digest("hex");
bom.serialNumber = `urn:uuid:${hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5")}`;

process.stdout.write(`${JSON.stringify(bom, undefined, 2)}\n`);
