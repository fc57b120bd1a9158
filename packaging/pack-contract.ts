/**
 * Packs the contract with all files that it imports: `npm run task pack-contract -- FOLDER`. In the unpacked archive, buf and
 * protoc need nothing else.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = join(import.meta.dirname, "..");
const target = resolve(process.argv[2] ?? ".");
const stage = mkdtempSync(join(tmpdir(), "inventory-contract-"));

try {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const name = `inventory-contract-${version}`;
  execFileSync("buf", ["export", "proto", "--output", join(stage, name)], {
    cwd: root,
    stdio: "inherit",
  });
  cpSync(join(root, "LICENSE"), join(stage, name, "LICENSE"));
  mkdirSync(target, { recursive: true });
  const archive = join(target, `${name}.tar.gz`);
  execFileSync("tar", ["-czf", archive, "-C", stage, name], { stdio: "inherit" });
  process.stdout.write(`${archive}\n`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
