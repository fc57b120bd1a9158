import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Creates a temporary directory for the tests of a file. @returns a function that writes a file and returns its path */
export function useFiles(): (name: string, content: string | Buffer) => string {
  const directory = mkdtempSync(join(tmpdir(), "inventory-config-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  return (name, content) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
}
