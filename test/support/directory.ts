import { rmSync } from "node:fs";
import { afterAll, onTestFinished } from "vitest";
import { newDirectory } from "../system/harness/directory.ts";

/** Makes a directory that exists until the tests of the file, or of the `describe` that calls this, have ended. */
export function useDirectory(): string {
  const directory = newDirectory();
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Makes a directory that exists until the end of the test. */
export function directoryOfTest(): string {
  const directory = newDirectory();
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
