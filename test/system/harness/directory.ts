import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];
process.once("exit", () => {
  for (const each of made) rmSync(each, { recursive: true, force: true });
});

/** Makes a directory that exists until this process ends. */
export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "inventory-test-"));
  made.push(directory);
  return directory;
}
