import { connect } from "node:http2";
import type { Socket } from "node:net";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "../../packages/connect-gateway/gen/health/v1/health_pb.ts";
import { bindRoutes } from "../../packages/connect-gateway/src/call/routes.ts";
import { SharedPool } from "../../packages/connect-gateway/src/call/shared-pool.ts";
import { singleFlight } from "../../packages/connect-gateway/src/call/single-flight.ts";
import { endStreams } from "../../packages/connect-gateway/src/http/send-stream.ts";
import { healthRoutes } from "../../packages/connect-gateway/src/rpc/health.ts";
import {
  anonymous,
  protocols,
  rpcOf,
  take,
} from "../../packages/connect-gateway/test/rpc/support.ts";
import { startListener } from "../../packages/connect-gateway/test/server/support/listener.ts";
import { createConcurrencyLimits } from "../../src/common/concurrency-limits.ts";
import { present } from "../../src/common/present.ts";
import { rpcJson } from "../../src/contract/json.ts";
import { handleFor } from "../support/endpoint.ts";
import { useServer } from "../support/server.ts";
import { memoryKind, storeKinds } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;

/** Serves only the health service, with a store that the test turns on and off. */
async function startHealth(maxWatches = 10) {
  const store = { isUp: true, pings: 0, held: undefined as Promise<void> | undefined };
  const stopping = new AbortController();
  const draining = new AbortController();
  const routes = healthRoutes({
    services: ["shop.v1.Shop"],
    ping: singleFlight(async () => {
      store.pings += 1;
      await store.held;
      if (!store.isUp) throw new Error("down");
    }),
    stopping: stopping.signal,
    draining: draining.signal,
    intervalMs: 5,
    acquireWatch: createConcurrencyLimits([
      {
        pool: new SharedPool({ name: "health watches", size: maxWatches }),
        ownerOf: () => ({}),
        exceeded: () => new ConnectError("too many", Code.Unimplemented),
      },
    ]),
    stopped: () => new ConnectError("stopped", Code.Unavailable),
    unknownService: (name) => new ConnectError(`no ${name}`, Code.NotFound),
  });
  const faults: unknown[] = [];
  const rpc = rpcOf(bindRoutes({ routes }), {
    json: rpcJson,
    onFault: (fault) => faults.push(fault),
  });
  const connections: Socket[] = [];
  const { url, listener } = await startListener({
    handle(exchange) {
      connections.push(exchange.socket);
      void handleFor("192.0.2.1", rpc, exchange);
    },
  });
  onTestFinished(() => expect(faults).toEqual([]));
  return {
    url,
    store,
    faults,
    /** The connection of each request. */
    connections,
    beginStop: () => stopping.abort(),
    /** Drains as the app does. Resolves when every connection is closed. */
    drain() {
      stopping.abort();
      draining.abort();
      return listener.drain(60_000);
    },
  };
}

/** The first message of a watch: a status or an error. */
interface Outcome {
  readonly status?: HealthCheckResponse_ServingStatus | undefined;
  readonly error?: ConnectError;
}

/**
 * Opens watches by gRPC, which last until the test has finished.
 *
 * @param address of the client
 * @param each watches to open on each connection, one after the other
 */
async function openWatches(
  url: string,
  address: string,
  connections: number,
  each: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Outcome[]> {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const outcomes: Outcome[] = [];
  for (let connection = 0; connection < connections; connection += 1) {
    const nodeOptions = { localAddress: address } as object;
    const client = createClient(Health, createGrpcTransport({ baseUrl: url, nodeOptions }));
    for (let watch = 0; watch < each; watch += 1) {
      const next = take(client.watch({}, { signal: leave.signal, headers }));
      outcomes.push(
        await next().then(
          (message) => ({ status: message?.status }),
          (error: unknown) => ({ error: ConnectError.from(error) }),
        ),
      );
    }
  }
  return outcomes;
}

describe.each(protocols)("by %s", (_, open: (url: string) => Transport) => {
  async function start(maxWatches?: number) {
    const server = await startHealth(maxWatches);
    return { ...server, client: createClient(Health, open(server.url)) };
  }

  /** Opens a watch, which ends with the test at the latest. */
  function watch(client: Awaited<ReturnType<typeof start>>["client"], service = "") {
    const leave = new AbortController();
    onTestFinished(() => leave.abort());
    const next = take(client.watch({ service }, { signal: leave.signal }));
    return { leave: () => leave.abort(), next: async () => (await next())?.status };
  }

  describe("Check", () => {
    test.each(["", "shop.v1.Shop"])(
      'of "%s" returns SERVING, and NOT_SERVING while the store is down',
      async (service) => {
        const { client, store } = await start();
        expect((await client.check({ service })).status).toBe(SERVING);
        store.isUp = false;
        expect((await client.check({ service })).status).toBe(NOT_SERVING);
        store.isUp = true;
        expect((await client.check({ service })).status).toBe(SERVING);
      },
    );

    test("of an unknown service fails with not_found", async () => {
      const { client } = await start();
      await expect(client.check({ service: "shop.v1" })).rejects.toMatchObject({
        code: Code.NotFound,
        rawMessage: "no shop.v1",
      });
    });
  });

  test("List returns the server and every service", async () => {
    const { client, store } = await start();
    const list = async () =>
      Object.entries((await client.list({})).statuses).map(([name, { status }]) => [name, status]);
    expect(await list()).toEqual([
      ["", SERVING],
      ["shop.v1.Shop", SERVING],
    ]);
    store.isUp = false;
    expect(await list()).toEqual([
      ["", NOT_SERVING],
      ["shop.v1.Shop", NOT_SERVING],
    ]);
  });

  describe("Watch", () => {
    test.each(["", "shop.v1.Shop"])(
      'of "%s" yields the status at once, then each change',
      async (service) => {
        const { client, store } = await start();
        const { next } = watch(client, service);
        expect(await next()).toBe(SERVING);
        store.isUp = false;
        expect(await next()).toBe(NOT_SERVING);
        store.isUp = true;
        expect(await next()).toBe(SERVING);
      },
    );

    test("of an unknown service yields SERVICE_UNKNOWN, and nothing else until the drain ends it", async () => {
      const { client, store, drain } = await start();
      const [unknown, known] = [watch(client, "shop.v1"), watch(client)];
      expect(await unknown.next()).toBe(SERVICE_UNKNOWN);
      expect(await known.next()).toBe(SERVING);
      store.isUp = false;
      expect(await known.next()).toBe(NOT_SERVING);
      const ended = unknown.next();
      await drain();
      expect(await ended).toBeUndefined();
    });

    test("yields NOT_SERVING and ends when the server drains, and the drain does not wait for watchers", async () => {
      const { client, drain } = await start();
      const { next } = watch(client);
      expect(await next()).toBe(SERVING);
      const drained = drain();
      expect(await next()).toBe(NOT_SERVING);
      expect(await next()).toBeUndefined();
      await drained;
    });

    test("yields NOT_SERVING when the server begins to stop, and stays open until the drain", async () => {
      const { client, store, beginStop, drain } = await start();
      const { next } = watch(client);
      expect(await next()).toBe(SERVING);
      beginStop();
      expect(await next()).toBe(NOT_SERVING);
      const later = watch(client);
      expect(await later.next()).toBe(NOT_SERVING);
      const { pings } = store;
      const end = Promise.race([next(), later.next()]);
      await until("the server has pinged again", () => store.pings > pings + 1);
      expect(await Promise.race([end, "open"])).toBe("open");
      await drain();
      expect(await end).toBeUndefined();
    });

    test("fails with unimplemented beyond the limit, until another watch ends", async () => {
      const { client } = await start(1);
      const first = watch(client);
      expect(await first.next()).toBe(SERVING);
      await expect(watch(client).next()).rejects.toMatchObject({ code: Code.Unimplemented });
      first.leave();
      await expect(first.next()).rejects.toMatchObject({ code: Code.Canceled });
      const status = await until("the place is free", () =>
        watch(client)
          .next()
          .catch(() => false),
      );
      expect(status).toBe(SERVING);
    });
  });
});

describe("the cost of health checks", () => {
  test("watchers share one ping, and there are no pings from when all have left until another comes", async () => {
    const { url, store } = await startHealth();
    const leave = new AbortController();
    const client = anonymous(Health, url);
    const watches = Array.from({ length: 5 }, () =>
      take(client.watch({}, { signal: leave.signal })),
    );
    await Promise.all(watches.map((next) => next()));
    const hold = Promise.withResolvers<void>();
    store.held = hold.promise;
    const begun = store.pings;
    await until("the next ping", () => store.pings > begun);
    // With a timer for each watcher, others would fire long before twenty round trips are over.
    for (let trip = 0; trip < 20; trip++) await client.check({ service: "x" }).catch(() => {});
    expect(store.pings).toBe(begun + 1);
    hold.resolve();
    leave.abort();
    await Promise.allSettled(watches.map((next) => next()));
    let last = -1;
    await until("no more pings between two round trips", async () => {
      const before = last;
      last = store.pings;
      for (let trip = 0; trip < 20; trip++) await client.check({ service: "x" }).catch(() => {});
      return before === store.pings;
    });
    // A later watch follows the status again.
    const later = take(client.watch({}));
    expect(await later()).toMatchObject({ status: SERVING });
    store.isUp = false;
    expect(await later()).toMatchObject({ status: NOT_SERVING });
  });

  test("a connection forgets a watch that has ended", async () => {
    const { url, connections, faults } = await startHealth(1);
    const leave = new AbortController();
    const next = take(anonymous(Health, url).watch({}, { signal: leave.signal }));
    expect(await next()).toMatchObject({ status: SERVING });
    leave.abort();
    await until("the place of the watch is free", async () => {
      const other = take(anonymous(Health, url).watch({}));
      return !((await other().catch(ConnectError.from)) instanceof ConnectError);
    });
    // The end of a call by a bug is a fault.
    endStreams(present(connections[0], "the connection of the watch"), new Error("a bug"));
    expect(faults).toEqual([]);
  });

  test("a client that does not read frees its place when it disconnects", async () => {
    const { url } = await startHealth(1);
    const session = connect(url, { settings: { initialWindowSize: 0 } });
    onTestFinished(() => session.destroy());
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Watch",
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.on("error", () => {});
    stream.end(Buffer.alloc(5));
    const client = anonymous(Health, url);
    const watch = () => take(client.watch({}))().catch(ConnectError.from);
    await until("its place is taken", async () => (await watch()) instanceof ConnectError);
    session.destroy();
    const message = await until("its place is free", async () => {
      const received = await watch();
      return received instanceof ConnectError ? undefined : received;
    });
    expect(message).toMatchObject({ status: expect.any(Number) });
  });
});

describe.each(storeKinds)("the server on $name", (kind) => {
  const server = useServer(kind, { ANONYMOUS_PER_MINUTE: "1" });

  test.each(protocols)(
    "responds to checks without a key and without rate limits, by %s",
    async (_, open) => {
      const client = createClient(Health, open(server.url));
      const fields: string[] = [];
      for (let time = 0; time < 3; time++) {
        const onHeader = (headers: Headers) => {
          fields.push(...headers.keys());
        };
        expect((await client.check({}, { onHeader })).status).toBe(SERVING);
      }
      expect(fields).not.toContain("x-ratelimit-limit");
      expect(server.faults).toEqual([]);
    },
  );

  test("fails with unimplemented beyond the limit of a connection, and serves other connections", async () => {
    const [first, next] = await Promise.all([
      openWatches(server.url, "127.0.0.2", 1, 11),
      openWatches(server.url, "127.0.0.2", 1, 10),
    ]);
    expect(first.filter(({ status }) => status === SERVING)).toHaveLength(10);
    expect(first.at(-1)?.error).toMatchObject({
      code: Code.Unimplemented,
      rawMessage:
        "Too many health watches are open (limit 10, MAX_HEALTH_WATCHES_PER_CONNECTION). Call Check instead.",
    });
    expect(next.map(({ status }) => status)).toEqual(Array(10).fill(SERVING));
  });
});

describe("limits of watches", () => {
  const environment = {
    MAX_HEALTH_WATCHES: "5",
    MAX_HEALTH_WATCHES_PER_ADDRESS: "3",
    MAX_HEALTH_WATCHES_PER_CONNECTION: "2",
    TRUSTED_PROXIES: "127.0.0.9",
  };
  const server = useServer(memoryKind, environment);
  const served = (outcomes: readonly Outcome[]) => outcomes.filter(({ status }) => status).length;

  test("fail with unimplemented beyond the limit of the process", async () => {
    const outcomes = [
      ...(await openWatches(server.url, "127.0.0.2", 3, 1)),
      ...(await openWatches(server.url, "127.0.0.3", 3, 1)),
    ];
    expect(served(outcomes)).toBe(5);
    expect(outcomes.at(-1)?.error).toMatchObject({
      code: Code.Unimplemented,
      rawMessage: expect.stringContaining("limit 5, MAX_HEALTH_WATCHES)"),
    });
  });

  test("count clients of a trusted proxy by their own addresses", async () => {
    const behind = (client: string, count: number) =>
      openWatches(server.url, "127.0.0.9", 1, count, { "x-forwarded-for": client });
    expect(served(await behind("2001:db8::1", 4))).toBe(3);
    // The same /64 network.
    expect(served(await behind("2001:db8::2", 1))).toBe(0);
    expect(served(await behind("2001:db8:0:1::1", 1))).toBe(1);
  });

  test("ignore X-Forwarded-For of a client that is not a trusted proxy", async () => {
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((host) =>
        openWatches(server.url, "127.0.0.2", 1, 1, { "x-forwarded-for": `192.0.2.${host}` }),
      ),
    );
    expect(served(outcomes.flat())).toBe(3);
  });
});
