import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { goGatewayBinary } from "./servers.ts";

const root = join(import.meta.dirname, "..");

/**
 * Generates and builds the Go peer from the contract, unless nothing has changed since. The first time takes a minute or two; later Go
 * has it in its cache.
 *
 * @returns why it can't be built; undefined when it was
 */
export function buildGoPeer(): string | undefined {
  if (isBuilt()) {
    return undefined;
  }
  try {
    run("buf", ["generate", "--template", "bench/peers/go/buf.gen.yaml"], root);
    run("go", ["build", "-o", goGatewayBinary, "."], join(root, "bench/peers/go"));
    return undefined;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    return stderr || (error instanceof Error ? error.message : String(error));
  }
}

/** Is the binary newer than all that it is made from? */
function isBuilt(): boolean {
  const built = statSync(goGatewayBinary, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync(["bench/peers/go/*", "proto/{inventory,rules}/**/*.proto"], {
    cwd: root,
  });
  // A folder is newer for what was generated into it.
  const files = sources.map((name) => statSync(join(root, name))).filter((each) => each.isFile());
  return files.every(({ mtimeMs }) => mtimeMs < built);
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" });
}
