import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test, vi } from "vitest";
import { type App, createApp } from "../../src/app/app.ts";
import { type Holder, SharedPool } from "../../src/call/shared-pool.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/observability/log/log.ts";
import { createHeldConnections } from "../../src/server/connections/held-connections.ts";
import { type Backlog, createBacklog } from "../../src/server/load/backlog.ts";
import { createOverload } from "../../src/server/load/overload.ts";
import type { AdmissionStore } from "../../src/stores/admission-store.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";
import { startListener } from "./support/listener.ts";

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

  const request = (path: string, type?: string, more: Record<string, string> = {}) => {
    const stream = connectHttp2(own.url).request({
      ":path": path,
      ":method": type === undefined ? "GET" : "POST",
      authorization: `Bearer ${own.key}`,
      ...(type !== undefined && { "content-type": type }),
      ...more,
    });
    stream.end(
      type?.includes("json") ? "{}" : type?.includes("grpc") ? Buffer.alloc(5) : undefined,
    );
    return responseOf(stream);
  };

  /** Sends `count` requests at once. */
  function sendAtOnce(count: number) {
    const sessions = [connectHttp2(own.url), connectHttp2(own.url)];
    const all = Array.from({ length: count }, (_, i) =>
      responseOf(
        (sessions[i % 2] ?? fail()).request({
          ":path": "/v1/inventory",
          authorization: `Bearer ${own.key}`,
        }),
      ),
    );
    return Promise.all(all);
  }

  function fail(): never {
    throw new Error("no such session");
  }

  const list = "/inventory.v1.InventoryService/ListInventory";

  test("503 with Retry-After over HTTP, Connect, gRPC and gRPC-Web, while /livez is 200; then 200", async () => {
    // Until the first is decided, the wait is unknown, and none is refused.
    const burst = sendAtOnce(pace.first);
    await pace.begun.promise;
    const refused = await untilRefused();
    expect(refused.headers).toMatchObject({
      "retry-after": "1",
      "content-type": "application/json",
    });
    expect(JSON.parse(refused.body)).toMatchObject({ code: "unavailable", status: 503 });

    const connect = await request(list, "application/json", { "connect-protocol-version": "1" });
    expect(connect.headers).toMatchObject({ ":status": 503, "retry-after": "1" });
    expect(JSON.parse(connect.body)).toMatchObject({ code: "unavailable" });

    for (const type of ["application/grpc", "application/grpc-web+proto"]) {
      const { headers } = await request(list, type, { te: "trailers" });
      expect(headers).toMatchObject({
        ":status": 200,
        "grpc-status": "14",
        "grpc-retry-pushback-ms": "1000",
      });
      expect(headers["grpc-status-details-bin"]).toEqual(expect.any(String));
    }

    const live = await request("/livez", undefined, {});
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

/** A backlog with values that the test sets. */
function someBacklog(state: { count: number; waitMs?: number; perMs?: number; isBusy?: boolean }) {
  const own = { waitMs: 0, perMs: 0, isBusy: false, ...state, decided: () => {} };
  return Object.assign(own, {
    begin() {},
    end() {},
    whenDecided(listener: () => void) {
      own.decided = listener;
    },
  }) satisfies Backlog & { decided: () => void };
}

describe("the order in which requests are refused", () => {
  const stranger = { hasKey: false, timeoutMs: undefined };
  const known = { hasKey: true, timeoutMs: undefined };
  const hasty = { hasKey: true, timeoutMs: 60 };

  it.each([
    [{ count: 31, waitMs: 10_000 }, [false, false, false]],
    [{ count: 1_000, waitMs: 0 }, [false, false, false]],
    [{ count: 1_000, waitMs: 50 }, [false, false, false]],
    [{ count: 1_000, waitMs: 55 }, [true, false, false]],
    [{ count: 1_000, waitMs: 70 }, [true, true, false]],
    [{ count: 1_000, waitMs: 400 }, [true, true, false]],
    [{ count: 1_000, waitMs: 401 }, [true, true, true]],
  ])("with %o: no key, a timeout of 60 ms, others: %o", (state, refused) => {
    const { refuses } = createOverload(someBacklog({ ...state, isBusy: true }));
    expect([stranger, hasty, known].map((each) => refuses(each, undefined))).toEqual(refused);
  });

  test("requests without a key are not refused first if the store is slow", () => {
    const { refuses } = createOverload(someBacklog({ count: 1_000, waitMs: 70, isBusy: false }));
    expect([stranger, hasty, known].map((each) => refuses(each, undefined))).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe("a client's share of the wait", () => {
  const known = { hasKey: true, timeoutMs: undefined };
  /** A wait of 1 s, for 4,000 requests. */
  const { refuses } = createOverload(someBacklog({ count: 4_000, waitMs: 1_000, isBusy: true }));

  /** Clients with some requests each. */
  function clients(...counts: readonly number[]): Holder[] {
    const pool = new SharedPool({ name: "requests", size: 10_000 });
    return counts.map((count, n) => {
      const holder = pool.holderOf(`client ${n}`);
      for (let entered = 0; entered < count; entered++) holder.enter();
      return holder;
    });
  }

  test("lets a client with few requests in, while the client that causes the wait is refused", () => {
    const [heavy, light] = clients(3_999, 1);
    expect([refuses(known, heavy), refuses(known, light)]).toEqual([true, false]);
  });

  test("is the whole wait if all clients have a few requests", () => {
    const [first] = clients(...Array.from({ length: 2_000 }, () => 2));
    expect(refuses(known, first)).toBe(true);
  });

  test("is the whole wait for a proxy, whose requests are those of many clients", () => {
    const { exempt } = new SharedPool({ name: "requests", size: 10_000 });
    exempt.enter();
    expect(refuses(known, exempt)).toBe(true);
  });
});

describe("the backlog", () => {
  test("reports a wait only after two periods, based on the faster one", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const now = vi.spyOn(performance, "now").mockReturnValue(0);
    onTestFinished(() => {
      now.mockRestore();
      vi.useRealTimers();
    });
    const endPeriod = () => {
      now.mockReturnValue(performance.now() + 100);
      vi.advanceTimersByTime(100);
    };
    const backlog = createBacklog();
    for (let i = 0; i < 1_000; i += 1) backlog.begin();
    expect(backlog.waitMs).toBe(0);
    // No request is admitted in the first period, as if the process had paused.
    endPeriod();
    expect(backlog.waitMs).toBe(0);
    for (let i = 0; i < 200; i += 1) backlog.end();
    expect(backlog.waitMs).toBe(0);
    endPeriod();
    expect([backlog.perMs, backlog.waitMs]).toEqual([2, 400]);
    // The faster one of the last two periods counts.
    for (let i = 0; i < 100; i += 1) backlog.end();
    endPeriod();
    expect([backlog.perMs, backlog.waitMs]).toEqual([2, 350]);
    endPeriod();
    expect([backlog.perMs, backlog.waitMs]).toEqual([1, 700]);
    // An empty backlog has no wait.
    while (backlog.count > 0) backlog.end();
    endPeriod();
    backlog.begin();
    expect([backlog.perMs, backlog.waitMs]).toEqual([0, 0]);
  });
});

describe("held connections", () => {
  const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";

  /** All connections are of one client. Makes so many requests be served before its next one. */
  const oneClient = (turns = () => 500) => ({ clientOf: () => "one", turnsBefore: turns });

  async function start(backlog: ReturnType<typeof someBacklog>, clients = oneClient()) {
    const begun: string[] = [];
    const held = createHeldConnections(backlog, clients);
    const { port } = await startListener({
      held,
      handle(request, response) {
        begun.push(request.headers["x-name"] as string);
        response.end("done");
      },
    });
    const client = async (name: string) => {
      const named = get.replace("\r\n\r\n", `\r\nX-Name: ${name}\r\n\r\n`);
      const { socket, response } = await connectHttp1(port, named);
      await response();
      // The connection is held in the tick after the response.
      await sleep(5);
      return { response, send: () => socket.write(named), socket };
    };
    return { begun, client, held };
  }

  test("200 only when the backlog has become smaller, in the order of their last responses", async () => {
    const backlog = someBacklog({ count: 500, perMs: 1, isBusy: true });
    const { begun, client } = await start(backlog);
    const clients = [await client("a"), await client("b"), await client("c")];
    for (const { send } of clients.toReversed()) send();
    await sleep(50);
    expect(begun).toEqual(["a", "b", "c"]);
    backlog.count = 127;
    backlog.decided();
    await clients[0]?.response();
    expect(begun).toEqual(["a", "b", "c", "a"]);
    backlog.count = 0;
    backlog.decided();
    await Promise.all(clients.slice(1).map(({ response }) => response()));
    expect(begun).toHaveLength(6);
  });

  test("200 at once for a client with few requests, however many others have", async () => {
    const backlog = someBacklog({ count: 15_000, perMs: 1, isBusy: true });
    let turns = 500;
    const { client } = await start(
      backlog,
      oneClient(() => turns),
    );
    const one = await client("a");
    one.send();
    turns = 2;
    backlog.decided();
    expect((await one.response()).status).toBe(200);
    // It is not held again.
    one.send();
    expect((await one.response()).status).toBe(200);
  });

  test("200 at once if the store is slow, and if the queue is full", async () => {
    const slowStore = await start(someBacklog({ count: 500, perMs: 1, isBusy: false }));
    const one = await slowStore.client("a");
    one.send();
    expect((await one.response()).status).toBe(200);

    // At 8 requests a second, 250 ms of work are two connections.
    const full = await start(someBacklog({ count: 500, perMs: 0.008, isBusy: true }));
    const clients = [await full.client("a"), await full.client("b"), await full.client("c")];
    for (const { send } of clients) send();
    await clients[2]?.response();
    expect(full.begun).toEqual(["a", "b", "c", "c"]);
  });

  test("200 for a connection behind released ones that send nothing", async () => {
    const backlog = someBacklog({ count: 500, perMs: 1, isBusy: true });
    const { client, held } = await start(backlog);
    const sockets = Array.from({ length: 300 }, () => new Socket());
    for (const socket of sockets) held.idle(socket);
    const last = await client("last");
    last.send();
    backlog.count = 0;
    backlog.decided();
    expect((await last.response()).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test("200 for held connections when the server drains, and closed ones are no longer held", async () => {
    const backlog = someBacklog({ count: 500, perMs: 1, isBusy: true });
    const { begun, client, held } = await start(backlog);
    const [disconnected, waits] = [await client("a"), await client("b")];
    waits.send();
    disconnected.socket.destroy();
    held.stop();
    expect((await waits.response()).status).toBe(200);
    expect(begun).toEqual(["a", "b", "b"]);
  });
});
