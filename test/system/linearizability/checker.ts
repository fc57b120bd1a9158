import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Initial, writeHistory } from "./history.ts";
import type { Step } from "./recorded.ts";

/** Directory of the histories and pictures of the last run. */
const directory = join(tmpdir(), "inventory-linearizability");
const program = join(directory, "checker");

/** The verdict of the checker on a history. */
export interface Verdict {
  readonly linearizable: boolean;
  /** Human-readable; with the part that is not linearizable, and the path of its picture. */
  readonly text: string;
}

/** Builds the checker. @throws Error if Go is missing */
export function buildChecker(): void {
  mkdirSync(directory, { recursive: true });
  try {
    execFileSync("go", ["build", "-buildvcs=false", "-o", program, "."], {
      cwd: join(import.meta.dirname, "checker"),
    });
  } catch (error) {
    throw new Error("Cannot build the checker. Install Go (https://go.dev).", { cause: error });
  }
}

/**
 * Searches for an order of the steps that explains all observed outcomes and recorded changes.
 *
 * @param name base name of the output files
 * @throws Error if the checker fails or reaches its timeout
 */
export function check(name: string, initial: Initial, steps: readonly Step[]): Promise<Verdict> {
  const history = join(directory, `${name}.jsonl`);
  writeHistory(history, initial, steps);
  return new Promise((resolve, reject) => {
    const args = [`-html=${join(directory, `${name}.html`)}`, history];
    execFile(program, args, (error, text, fault) => {
      if (error !== null && error.code !== 1) reject(new Error(`${text}${fault}`));
      else resolve({ linearizable: error === null, text: text.trimEnd() });
    });
  });
}
