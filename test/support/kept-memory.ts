import { getHeapSpaceStatistics } from "node:v8";
import { collectGarbage } from "./collect-garbage.ts";

/**
 * Returns how many bytes of V8's old space are in use after some work that were not before. V8 moves to it what two minor
 * collections have left, and what refers to it stays until the next major collection, even if nothing uses it any more.
 *
 * @returns the least of three measurements, because other test files can leave work in this process
 */
export async function bytesKept(work: () => Promise<void>): Promise<number> {
  const measured = [await keptOnce(work), await keptOnce(work), await keptOnce(work)];
  return Math.min(...measured);
}

async function keptOnce(work: () => Promise<void>): Promise<number> {
  collectGarbage({ type: "major", execution: "sync" });
  const before = oldSpaceBytes();
  await work();
  collectGarbage({ type: "minor", execution: "sync" });
  collectGarbage({ type: "minor", execution: "sync" });
  return oldSpaceBytes() - before;
}

function oldSpaceBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space");
  return space?.space_used_size ?? 0;
}
