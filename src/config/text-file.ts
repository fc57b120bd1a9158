import { accessSync, constants, readFileSync, statSync } from "node:fs";

/** Largest file with settings or a secret, in bytes. A larger one is most likely another file. */
const maxBytes = 65_536;

/** Reads a small text file. @param name the setting with the path @throws Error that says what is wrong, and what to do */
export function readTextFile(name: string, path: string): string {
  const bytes = readBytes(name, path);
  if (bytes.length > maxBytes) {
    throw new Error(
      `${name}: ${path} has more than ${maxBytes} bytes. Give the path of another file`,
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${name}: ${path} is not UTF-8 text. Give the path of another file`);
  }
}

/** Reads a file. @throws Error like {@link readTextFile} */
export function readBytes(name: string, path: string): Buffer {
  return withReason(name, path, () => {
    assertFile(path);
    return readFileSync(path);
  });
}

/** Checks that a file can be read. The service would wait for the writer of a pipe. @throws Error like {@link readTextFile} */
export function checkFile(name: string, path: string): void {
  withReason(name, path, () => assertFile(path));
}

function assertFile(path: string): void {
  accessSync(path, constants.R_OK);
  const found = statSync(path);
  if (found.isFile()) return;
  const kind = found.isDirectory() ? "directory" : "pipe or a device";
  throw new Error(`it is a ${kind}. Give the path of a file`);
}

function withReason<T>(name: string, path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw new Error(`${name}: cannot read ${path}: ${whyUnreadable(error)}`);
  }
}

function whyUnreadable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file. Correct the path";
  if (code === "EACCES") return "permission denied. Let the user of this process read it";
  return code ?? message;
}
