/** Builds the contract outside of this repository, without the network: `npm run task packages-contract`. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { newDirectory } from "../harness/directory.ts";

const root = join(import.meta.dirname, "../../..");
const imports = "node_modules/google-gax/build/protos/google/api";
const scratch = newDirectory();

reportBuild("the packed contract builds by itself", unpacked());
reportBuild("a copy of proto/ builds with the dependency that its buf.yaml names", copied(true));
const withoutDependency = build(copied(false));
report(
  "a copy of proto/ does not build without that dependency",
  /google\.api/.test(withoutDependency.stderr),
  "it builds",
);

function unpacked(): string {
  const built = join(scratch, "built");
  execFileSync(process.execPath, [join(root, "packaging/pack-contract.ts"), built], { cwd: root });
  const [archive = ""] = readdirSync(built);
  execFileSync("tar", ["-xzf", join(built, archive), "-C", scratch]);
  return join(scratch, archive.replace(/\.tar\.gz$/, ""));
}

/** Copies `proto/`, and puts a folder in the place of the module that `buf dep update` would download. */
function copied(withDependency: boolean): string {
  const folder = mkdtempSync(join(scratch, "copy-"));
  cpSync(join(root, "proto"), join(folder, "proto"), { recursive: true });
  if (!withDependency) return join(folder, "proto");
  mkdirSync(join(folder, "googleapis/google/api"), { recursive: true });
  for (const name of ["annotations", "http", "field_behavior"]) {
    const file = `${name}.proto`;
    cpSync(join(root, imports, file), join(folder, "googleapis/google/api", file));
  }
  const { deps } = parse(readFileSync(join(root, "proto/buf.yaml"), "utf8"));
  const modules = JSON.stringify([{ path: "proto" }, { path: "googleapis", name: String(deps) }]);
  writeFileSync(join(folder, "buf.yaml"), `version: v2\nmodules: ${modules}\n`);
  return folder;
}

/** Builds a folder as on a new machine: without the modules that buf has downloaded before. */
function build(folder: string): { status: number | null; stderr: string } {
  return spawnSync("buf", ["build", "--output", join(scratch, "image.binpb")], {
    cwd: folder,
    env: { ...process.env, HOME: scratch, XDG_CACHE_HOME: join(scratch, "cache") },
    encoding: "utf8",
  });
}

function reportBuild(name: string, folder: string): void {
  const { status, stderr } = build(folder);
  report(name, status === 0, stderr);
}

function report(name: string, passed: boolean, details: string): void {
  process.stdout.write(`${passed ? "ok  " : "FAIL"} ${name}\n`);
  if (passed) return;
  process.stdout.write(`${details}\n`);
  process.exitCode = 1;
}
