import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const root = join(import.meta.dirname, "../..");

/** A change of a source file: what is there once, and what stands there instead. */
export interface Patch {
  /** Below `src`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A list of three pets takes three pages. */
export const pageOfOne: Patch = {
  file: "redis/whole-list.ts",
  from: "pageSize = 1_000",
  to: "pageSize = 1",
};

/** A list is read whole each time, not brought up to date from the one before. */
export const readWhole: Patch = {
  file: "redis/kept-list.ts",
  from: "const base = cached;",
  to: "const base = undefined as typeof cached;",
};

/**
 * To be called within a `describe`: copies the sources into a temporary directory, which is removed
 * afterwards, and changes the copy. What the repository's own servers run is never changed.
 *
 * @returns the copy's program
 * @throws Error when a patch does not fit any more: what it changes has to be looked up anew
 */
export function useMutant(patches: readonly Patch[]): string {
  const copy = mkdtempSync(join(tmpdir(), "inventory-mutant-"));
  afterAll(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true });
  for (const shared of ["gen", "node_modules", "package.json"]) {
    symlinkSync(join(root, shared), join(copy, shared));
  }
  for (const { file, from, to } of patches) {
    const path = join(copy, "src", file);
    const parts = readFileSync(path, "utf8").split(from);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`);
    writeFileSync(path, parts.join(to));
  }
  return join(copy, "src/main.ts");
}
