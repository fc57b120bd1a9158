import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

function make(): string {
  return mkdtempSync(join(tmpdir(), "inventory-test-"));
}

/** Makes a directory that exists until the tests of the file, or of the `describe` that calls this, have ended. */
export function useDirectory(): string {
  const directory = make();
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Makes a directory that exists until the end of the test. */
export function directoryOfTest(): string {
  const directory = make();
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
