import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { umask } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { writeHeapSnapshot } from "node:v8";
import type { DiagnosticTask } from "./handlers.ts";

/** Makes a heap snapshot or CPU profile of this process. @returns the path of a file that only this user may read */
export async function diagnoseProcess(task: DiagnosticTask): Promise<string> {
  const path = join(tmpdir(), `inventory-${process.pid}-${randomUUID()}`);
  if (task.kind === "cpu-profile") {
    await writeFile(path, JSON.stringify(await profile(task.seconds)), { mode: 0o600 });
    return path;
  }
  const before = umask(0o077);
  try {
    return writeHeapSnapshot(path);
  } finally {
    umask(before);
  }
}

async function profile(seconds: number): Promise<unknown> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await delay(seconds * 1_000, undefined, { ref: false });
    const { profile: made } = await session.post("Profiler.stop");
    return made;
  } finally {
    session.disconnect();
  }
}
