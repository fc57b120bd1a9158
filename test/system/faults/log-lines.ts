import type { LogLine } from "../../support/server.ts";
import type { Process } from "../harness/server-process.ts";

/** Returns the lines of one kind that a process has written so far. */
export function linesOf({ stdout }: Process, msg: string): LogLine[] {
  return stdout
    .slice(0, stdout.lastIndexOf("\n"))
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as LogLine)
    .filter((line) => line.msg === msg);
}
