import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { goGatewayBinary } from "./servers.ts";

const root = join(import.meta.dirname, "..");

/**
 * Generates and builds the Go peer from the contract. The first time takes a minute or two; later Go
 * has it in its cache.
 *
 * @returns why it can't be built; undefined when it was
 */
export function buildGoPeer(): string | undefined {
  try {
    run("buf", ["generate", "--template", "bench/peers/go/buf.gen.yaml"], root);
    run("go", ["build", "-o", goGatewayBinary, "."], join(root, "bench/peers/go"));
    return undefined;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    return stderr || (error instanceof Error ? error.message : String(error));
  }
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" });
}
