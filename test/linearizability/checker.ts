import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Entry, type Initial, writeHistory } from "./history.ts";

/** Where histories and pictures are: those of the last run. */
const directory = join(tmpdir(), "inventory-linearizability");
const program = join(directory, "checker");

/** What the checker says of a history. */
export interface Verdict {
  readonly linearizable: boolean;
  /** For people; with the part that does not fit, and where there is a picture of it. */
  readonly text: string;
}

/** Builds the checker. @throws Error that says what to install */
export function buildChecker(): void {
  mkdirSync(directory, { recursive: true });
  try {
    execFileSync("go", ["build", "-buildvcs=false", "-o", program, "."], {
      cwd: join(import.meta.dirname, "checker"),
    });
  } catch (error) {
    throw new Error("can't build the checker: it needs Go (https://go.dev)", { cause: error });
  }
}

/**
 * Looks for an order of the operations that explains all that was observed.
 *
 * @param name of the files that are written
 * @throws Error when the checker could not tell
 */
export function check(name: string, initial: Initial, entries: readonly Entry[]): Promise<Verdict> {
  const history = join(directory, `${name}.jsonl`);
  writeHistory(history, initial, entries);
  return new Promise((resolve, reject) => {
    const args = [`-html=${join(directory, `${name}.html`)}`, history];
    execFile(program, args, (error, text, fault) => {
      if (error !== null && error.code !== 1) reject(new Error(`${text}${fault}`));
      else resolve({ linearizable: error === null, text: text.trimEnd() });
    });
  });
}
