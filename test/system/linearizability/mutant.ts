import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useDirectory } from "../../support/directory.ts";

const root = join(import.meta.dirname, "../../..");

/** A replacement in a source file. `from` must occur exactly once. */
export interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A list of three pets takes three pages. */
export const pageOfOne: Patch = {
  file: "src/stores/redis/stock/whole-list.ts",
  from: "pageSize = 1_000",
  to: "pageSize = 1",
};

/** Each list is read whole instead of being refreshed from the cached one. */
export const readWhole: Patch = {
  file: "src/stores/redis/stock/list-cache.ts",
  from: "const base = cached;",
  to: "const base = undefined as typeof cached;",
};

/** A change with a deadline is sent to Redis only after the deadline has passed and was reported. */
export const sendLate: Patch = {
  file: "src/stores/redis/stock/change-script.ts",
  from: "const reply = await run(",
  to: `if (deadline !== undefined) await new Promise((resolve) => setTimeout(resolve, 100));
    const reply = await run(`,
};

/** One in five messages of an import is applied, but the reply of Redis is lost. */
export const loseResponses: Patch = {
  file: "src/services/catalog/import-stream.ts",
  from: "await store.put(pets, origin, idempotency, context);",
  to: `await store.put(pets, origin, idempotency, context);
    if (Math.random() < 0.2) throw new ConnectError("no response in time", Code.Unavailable);`,
};

/**
 * Copies the sources into a temporary directory, which is removed afterwards, and patches the copy. Call it within a
 * `describe`.
 *
 * @returns the path of the program in the copy
 * @throws Error if a patch no longer matches its source file: update the patch
 */
export function useMutant(patches: readonly Patch[]): string {
  const copy = useDirectory();
  for (const folder of ["src", "packages"]) {
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  }
  for (const shared of ["gen", "package.json"]) symlinkSync(join(root, shared), join(copy, shared));
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules"))) {
    // The link in the sources leads to the package that is not patched.
    const [from, folder] = name === "connect-gateway" ? [copy, "packages"] : [root, "node_modules"];
    symlinkSync(join(from, folder, name), join(copy, "node_modules", name));
  }
  for (const patch of patches) {
    const path = join(copy, patch.file);
    writeFileSync(path, patched(readFileSync(path, "utf8"), patch));
  }
  return join(copy, "src/main.ts");
}

/** Returns a patched source. @throws Error if the patch no longer matches it: update the patch */
function patched(source: string, { file, from, to }: Patch): string {
  const parts = source.split(from);
  if (parts.length === 2) return parts.join(to);
  throw new Error(`${file} must contain this text once, not ${parts.length - 1} times: ${from}`);
}
