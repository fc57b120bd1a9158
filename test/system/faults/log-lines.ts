import type { LogLine } from "../../support/server.ts";
import type { Child } from "../harness/child.ts";

/** Returns the lines of one kind that a process has written so far. */
export function linesOf({ stdout }: Child, msg: string): LogLine[] {
  return stdout
    .slice(0, stdout.lastIndexOf("\n"))
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as LogLine)
    .filter((line) => line.msg === msg);
}
