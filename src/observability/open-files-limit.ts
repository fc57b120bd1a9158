import { readFileSync } from "node:fs";

/** Returns the limit of open files, which Node raises to the hard limit when it starts; undefined if unknown. */
export function openFilesLimit(): number | undefined {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
