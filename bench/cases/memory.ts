import { httpList } from "../calls.ts";
import { type Case, type Load, ours, type Run } from "../case.ts";
import { driveByWrk } from "../load/wrk.ts";
import { residentMegabytes } from "../machine/process-use.ts";
import { median } from "../median.ts";
import { bundledServer } from "../servers.ts";

const call = httpList(10);
/** The interval between measurements of memory, in seconds. */
const every = 0.5;

/** Sends very many requests and measures the server's memory in the meantime. */
const watchMemory: Load = async (run) => {
  const total = run.quick ? 10_000 : 1_000_000;
  const watched: number[] = [];
  for (let sent = 0; sent < total; ) {
    sent += await sendSome(run, watched);
  }
  const quarter = Math.ceil(watched.length / 4);
  return {
    rss: watched.at(-1) ?? 0,
    growth: median(watched.slice(-quarter)) / median(watched.slice(-2 * quarter, -quarter)),
  };
};

async function sendSome(run: Run, watched: number[]): Promise<number> {
  const watch = setInterval(
    () => watched.push(residentMegabytes(run.server.pid)),
    run.quick ? 50 : every * 1_000,
  );
  try {
    const { requests } = await driveByWrk(call, 64, { ...run, seconds: run.quick ? 0.5 : 5 });
    return requests;
  } finally {
    clearInterval(watch);
  }
}

export const memoryCase: Case = {
  name: "memory",
  about: "Memory over 1,000,000 requests (`--quick`: 10,000)",
  items: 10,
  rounds: 1,
  cold: true,
  contestants: [{ name: ours, server: bundledServer, load: watchMemory }],
};
