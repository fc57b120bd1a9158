import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { goBinaries } from "./servers.ts";

const root = join(import.meta.dirname, "..");

/**
 * Generates and builds the Go peers from the contract, unless they are up to date. The first build takes a minute or two.
 *
 * @returns the reason why they cannot be built; undefined on success
 */
export function buildGoPeers(): string | undefined {
  if (isBuilt()) return undefined;
  try {
    run("buf", ["generate", "--template", "bench/peers/go/buf.gen.yaml"], root);
    run("go", ["build", "-o", "bin/", ".", "./tuned"], join(root, "bench/peers/go"));
    return undefined;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    return stderr || (error instanceof Error ? error.message : String(error));
  }
}

/** Returns whether the binaries are newer than all their sources. */
function isBuilt(): boolean {
  const times = Object.values(goBinaries).map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const built = Math.min(...times);
  const sources = globSync(["bench/peers/go/{,tuned/}*", "proto/{inventory,rules}/**/*.proto"], {
    cwd: root,
  });
  // The modification time of a folder changes when code is generated into it.
  const files = sources.map((name) => statSync(join(root, name))).filter((each) => each.isFile());
  return files.every(({ mtimeMs }) => mtimeMs < built);
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" });
}
