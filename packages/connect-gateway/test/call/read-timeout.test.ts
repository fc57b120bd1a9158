import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { setReadTimeout } from "../../src/call/read-timeout.ts";

const ms = 30;

/** Blocks the process until the timer is due. */
function block(): void {
  const end = performance.now() + 2 * ms;
  while (performance.now() < end);
}

/** Starts a timeout. `calls` are the times at which its function was called. */
function start() {
  const calls: number[] = [];
  const timeout = setReadTimeout(() => void calls.push(performance.now()), ms);
  onTestFinished(() => timeout.cancel());
  return { calls, timeout };
}

/** Returns both ends of a connection. */
async function connection(): Promise<{ readonly client: Socket; readonly server: Socket }> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const accepted = once(listener, "connection");
  const client = connect((listener.address() as AddressInfo).port, "127.0.0.1");
  const [server] = (await accepted) as [Socket];
  onTestFinished(() => {
    client.destroy();
    server.destroy();
    listener.close();
  });
  return { client, server };
}

/** Waits until a timeout has called its function, which it does after reads, even if the process stops in the meantime. */
async function afterTimeout(): Promise<void> {
  await delay(4 * ms);
  await nextTick();
}

/** When a timeout is cancelled or restarted. */
const moments: Record<string, (begin: () => () => void) => Promise<void>> = {
  async "before the time is up"(begin) {
    begin()();
  },
  async "after the time is up, before the timers run"(begin) {
    const act = begin();
    block();
    act();
  },
  async "after the timer has run"(begin) {
    const act = begin();
    // Timers of the same length run in the order of their start, before anything is read.
    const next = new Promise<void>((resolve) => {
      setTimeout(() => {
        act();
        resolve();
      }, ms);
    });
    block();
    await next;
  },
  async "by data that arrived while the process was blocked"(begin) {
    const { client, server } = await connection();
    const act = begin();
    const read = once(server, "data").then(() => {});
    server.on("data", act);
    client.write("x");
    block();
    await read;
  },
};

describe.each(Object.entries(moments))("a timeout %s", (_when, happens) => {
  test("can be cancelled: its function is never called", async () => {
    let calls: readonly number[] = [];
    await happens(() => {
      const started = start();
      calls = started.calls;
      return () => started.timeout.cancel();
    });
    await afterTimeout();
    expect(calls).toEqual([]);
  });

  test("can be restarted: its function is called once, after the whole time", async () => {
    let calls: readonly number[] = [];
    let restartedAt = 0;
    await happens(() => {
      const started = start();
      calls = started.calls;
      return () => {
        started.timeout.refresh();
        restartedAt = performance.now();
      };
    });
    await afterTimeout();
    expect(calls).toHaveLength(1);
    // Timers count whole milliseconds.
    expect(Number(calls[0]) - restartedAt).toBeGreaterThan(ms - 2);
  });
});
