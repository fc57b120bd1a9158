import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Holder, SharedPool } from "../../packages/connect-gateway/src/call/shared-pool.ts";
import {
  type Arrival,
  createAdmissionQueue,
  maxUndecided,
} from "../../packages/connect-gateway/src/server/load/overload.ts";
import {
  connectHttp2,
  responseOf,
} from "../../packages/connect-gateway/test/server/support/http2-client.ts";
import { type App, createApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/observability/log/log.ts";
import type { AdmissionStore } from "../../src/stores/admission-store.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { stopTimers } from "../support/stop-timers.ts";

/** How a store admits requests. */
interface Pace {
  /** The time for a request, in milliseconds. */
  ms: number;
  /** How many requests must wait before it admits the first. */
  readonly first: number;
  /** Resolved when they wait. */
  readonly begun: PromiseWithResolvers<void>;
}

/** Wraps a store so that it admits one request at a time, while the others wait in a queue. */
function oneByOne(store: AdmissionStore, pace: Pace): AdmissionStore {
  let waiting = 0;
  let last: Promise<unknown> = pace.begun.promise;
  return {
    ...store,
    admitKey(accountId, keyHash) {
      waiting += 1;
      if (waiting === pace.first) pace.begun.resolve();
      const decided = last
        .then(() => sleep(pace.ms))
        .then(() => store.admitKey(accountId, keyHash));
      last = decided;
      return decided;
    },
  };
}

describe("a server with more requests than it can admit", () => {
  const own: { app?: App; url: string; key: string; faults: unknown[] } = {
    url: "",
    key: "",
    faults: [],
  };
  const pace: Pace = { ms: 20, first: 250, begun: Promise.withResolvers() };

  beforeEach(async () => {
    const stores = createMemoryStores();
    const limits = { perMinute: 100_000, perDay: 100_000 };
    const accountId = await addAccount(stores, { plan: "enterprise", limits });
    own.key = (await addKey(stores, accountId)).secret;
    const log = createLog("silent");
    log.error = (fault: unknown) => own.faults.push(fault);
    own.app = createApp(
      readConfig({ PORT: "0", LOG_LEVEL: "silent" }),
      { ...stores, admission: oneByOne(stores.admission, pace) },
      log,
    );
    own.url = (await own.app.listen(0, "127.0.0.1")).url;
  });
  afterEach(async () => {
    await own.app?.drain(0);
    expect(own.faults).toEqual([]);
  });

  const request = (path: string, session = connectHttp2(own.url)) =>
    responseOf(session.request({ ":path": path, authorization: `Bearer ${own.key}` }));

  function sendAtOnce(count: number) {
    const sessions = [connectHttp2(own.url), connectHttp2(own.url)];
    const all = Array.from({ length: count }, (_, i) => request("/v1/inventory", sessions[i % 2]));
    return Promise.all(all);
  }

  test("503 with Retry-After, while /livez is 200; then 200", async () => {
    // Until the first is decided, the wait is unknown, and none is refused.
    const burst = sendAtOnce(pace.first);
    await pace.begun.promise;
    const refused = await untilRefused();
    expect(refused.headers).toMatchObject({
      "retry-after": "1",
      "content-type": "application/json",
    });
    expect(JSON.parse(refused.body)).toMatchObject({ code: "unavailable", status: 503 });

    const live = await request("/livez");
    expect(live.headers[":status"]).toBe(200);

    pace.ms = 0;
    const statuses = (await burst).map(({ headers }) => headers[":status"]);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await request("/v1/inventory")).headers[":status"]).toBe(200);
  });

  /** Sends requests with a key until one is refused. Those before it wait for their admission. */
  async function untilRefused() {
    let refused: Awaited<ReturnType<typeof request>> | undefined;
    while (!refused) {
      void request("/v1/inventory").then((response) => {
        if (response.headers[":status"] === 503) refused ??= response;
      });
      await sleep(20);
    }
    return refused;
  }
});

/** Requests that wait, and how fast they are decided: `perPeriod` in 100 ms. */
interface Load {
  readonly waiting: number;
  readonly perPeriod: number;
  readonly isBusy?: boolean;
}

type Queue = ReturnType<typeof createAdmissionQueue>;

/** Enters requests of one caller, or decides them. */
const repeat = (times: number, step: () => void) => {
  for (let n = 0; n < times; n++) step();
};
const enter = (queue: Queue, times: number) => repeat(times, () => queue.enter(arrival("caller")));
const decide = (queue: Queue, times: number) => repeat(times, () => queue.leave());

/** A request of a caller. @param begin called when its admission begins */
const arrival = (caller: string, begin = () => {}): Arrival => ({
  caller,
  isAnonymous: false,
  timeoutMs: undefined,
  begin,
  giveUp() {},
});

/** Replaces the clock. @returns ends a period in which so many requests are decided */
function fakePeriods(isBusy: boolean) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const loop = { idle: 0, active: 0, utilization: isBusy ? 0.95 : 0.85 };
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const utilization = vi.spyOn(performance, "eventLoopUtilization").mockReturnValue(loop);
  onTestFinished(() => {
    now.mockRestore();
    utilization.mockRestore();
    vi.useRealTimers();
  });
  return (queue: Queue, decided: number) => {
    decide(queue, decided);
    now.mockReturnValue(performance.now() + 100);
    vi.advanceTimersByTime(100);
  };
}

/** Creates a queue with this load, measured for two periods. */
function loadedQueue({ waiting, perPeriod, isBusy = true }: Load): Queue {
  const endPeriod = fakePeriods(isBusy);
  const queue = createAdmissionQueue();
  enter(queue, waiting + 2 * perPeriod);
  repeat(2, () => endPeriod(queue, perPeriod));
  return queue;
}

describe("the order in which requests are refused", () => {
  const stranger = { isAnonymous: true, timeoutMs: undefined };
  const known = { isAnonymous: false, timeoutMs: undefined };
  const hasty = { isAnonymous: false, timeoutMs: 60 };

  test.each([
    ["a few requests that wait for 3 s", { waiting: 31, perPeriod: 1 }, [false, false, false]],
    ["50 ms", { waiting: 500, perPeriod: 1_000 }, [false, false, false]],
    ["55 ms", { waiting: 550, perPeriod: 1_000 }, [true, false, false]],
    ["70 ms", { waiting: 700, perPeriod: 1_000 }, [true, true, false]],
    ["400 ms", { waiting: 4_000, perPeriod: 1_000 }, [true, true, false]],
    ["401 ms", { waiting: 4_010, perPeriod: 1_000 }, [true, true, true]],
    [
      "70 ms, for a slow store",
      { waiting: 700, perPeriod: 1_000, isBusy: false },
      [false, true, false],
    ],
  ])("%s: no key, a timeout of 60 ms, others", (_, load, refused) => {
    const queue = loadedQueue(load);
    expect([stranger, hasty, known].map((each) => queue.refuses(each, undefined))).toEqual(refused);
  });
});

describe("a client's share of the wait", () => {
  const known = { isAnonymous: false, timeoutMs: undefined };
  /** A wait of 1 s. */
  const load = { waiting: 4_000, perPeriod: 400 };

  function clients(...counts: readonly number[]): Holder[] {
    const pool = new SharedPool({ name: "requests", size: 10_000 });
    return counts.map((count, n) => {
      const holder = pool.holderOf(`client ${n}`);
      repeat(count, () => holder.enter());
      return holder;
    });
  }

  test("lets a client with few requests in, while the client that causes the wait is refused", () => {
    const { refuses } = loadedQueue(load);
    const [heavy, light] = clients(3_999, 1);
    expect([refuses(known, heavy), refuses(known, light)]).toEqual([true, false]);
  });

  test("is the whole wait if all clients have a few requests", () => {
    const { refuses } = loadedQueue(load);
    const [first] = clients(...Array.from({ length: 2_000 }, () => 2));
    expect(refuses(known, first)).toBe(true);
  });

  test("is the whole wait for a proxy, whose requests are those of many clients", () => {
    const { refuses } = loadedQueue(load);
    const { exempt } = new SharedPool({ name: "requests", size: 10_000 });
    exempt.enter();
    expect(refuses(known, exempt)).toBe(true);
  });
});

test("the expected wait is known after two periods, and follows the faster one", () => {
  const endPeriod = fakePeriods(true);
  const queue = createAdmissionQueue();
  /** Whether a request is refused that waits for so many milliseconds, and for one less. */
  const isWait = (ms: number) => {
    const refuses = (timeoutMs: number) =>
      queue.refuses({ isAnonymous: false, timeoutMs }, undefined);
    return [refuses(ms - 1), refuses(ms)];
  };
  enter(queue, 32);
  // No request is decided in the first period, as if the process had paused.
  endPeriod(queue, 0);
  // Not before: they would give up in the fourth period.
  enter(queue, 768);
  expect(isWait(1)).toEqual([false, false]);
  endPeriod(queue, 200);
  expect(isWait(300)).toEqual([true, false]);
  endPeriod(queue, 100);
  expect(isWait(250)).toEqual([true, false]);
  endPeriod(queue, 100);
  expect(isWait(400)).toEqual([true, false]);
  // Nobody waits after an empty queue.
  decide(queue, 400);
  endPeriod(queue, 0);
  enter(queue, 1_000);
  expect(isWait(1)).toEqual([false, false]);
});

test("a later request of a caller does not overtake its waiting one", async () => {
  // Requests that wait for too long give up.
  stopTimers();
  const queue = createAdmissionQueue();
  const begun: string[] = [];
  const ask = (caller: string) => queue.enter(arrival(caller, () => begun.push(caller)));
  repeat(maxUndecided, () => ask("busy"));
  while (begun.length < maxUndecided) await nextTick();
  ask("a");
  repeat(2, () => queue.leave());
  ask("a");
  ask("b");
  expect(begun.slice(maxUndecided)).toEqual(["b"]);
  await vi.waitFor(() => expect(begun.slice(maxUndecided)).toEqual(["b", "a"]), 10_000);
});
