import { readFileSync } from "node:fs";
import { atMostEvery } from "../../common/at-most-every.ts";
import { minuteMs } from "../../common/durations.ts";
import { writeLine } from "./lines.ts";
import type { Log } from "./log.ts";

/** Files that the process needs in addition to the connections of clients: Redis, the admin port, the log, Node's own. */
const ownFiles = 100;

/** Returns whether an error says that the process, or the machine, has no more file descriptors. */
export function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^E[MN]FILE$/.test(String(error.code));
}

/** Returns a function that logs, at most once a minute, that the process has too many open files. */
export function outOfFilesLine(log: Log): () => void {
  return atMostEvery(minuteMs, () =>
    writeLine(log, "outOfFiles", {
      reason:
        "The limit of open files is reached. Raise it (LimitNOFILE of systemd, or ulimit -n), or lower MAX_CONNECTIONS.",
    }),
  );
}

/** Returns why a limit of open files is too low for the most connections of clients; undefined when it is not. */
export function lowFilesLimit(
  maxConnections: number,
  limit: number | undefined = openFilesLimit(),
): string | undefined {
  const needed = maxConnections + ownFiles;
  if (limit === undefined || limit >= needed) return undefined;
  return `The process may open ${limit} files, and MAX_CONNECTIONS=${maxConnections} needs ${needed}. Raise the limit (LimitNOFILE of systemd, or ulimit -n), or lower MAX_CONNECTIONS.`;
}

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
