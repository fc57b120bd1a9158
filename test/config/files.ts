import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { useDirectory } from "../support/directory.ts";

/** Creates a temporary directory for the tests of a file. @returns a function that writes a file and returns its path */
export function useFiles(): (name: string, content: string | Buffer) => string {
  const directory = useDirectory();
  return (name, content) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
}
