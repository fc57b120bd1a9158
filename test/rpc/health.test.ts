import { connect } from "node:http2";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Health, HealthCheckResponse_ServingStatus } from "../../gen/health/v1/health_pb.ts";
import { createApp } from "../../src/app.ts";
import { createPlaces } from "../../src/call/places.ts";
import { bindService } from "../../src/call/service.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import { rpcHandlers } from "../../src/rpc/handlers.ts";
import { createHealth } from "../../src/rpc/health/health.ts";
import type { Stores } from "../../src/stores.ts";
import { until } from "../faults/until.ts";
import { startListener } from "../front-door/support/listener.ts";
import { useServer } from "../support/server.ts";
import { type StoreKind, storeKinds, useRedis } from "../support/stores.ts";
import { anonymous, protocols, take } from "./support.ts";

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;

/** A server of the health service alone, whose store is up or down as the test says. */
async function startHealth(maxWatches = 10) {
  const store = { isUp: true, pings: 0, held: undefined as Promise<void> | undefined };
  const draining = new AbortController();
  const health = createHealth({
    services: ["shop.v1.Shop"],
    async ping() {
      store.pings += 1;
      await store.held;
      if (!store.isUp) throw new Error("down");
    },
    draining: draining.signal,
    intervalMs: 5,
    places: createPlaces([
      {
        most: maxWatches,
        keyOf: () => "all",
        exceeded: () => new ConnectError("too many", Code.Unimplemented),
      },
    ]),
    stopped: () => new ConnectError("stopped", Code.Unavailable),
    unknownService: (name) => new ConnectError(`no ${name}`, Code.NotFound),
  });
  const faults: unknown[] = [];
  const handlers = rpcHandlers(
    {
      methods: bindService(Health, health, {
        authorizer: () => () => {},
        validator: () => () => {},
      }),
      maxMessageBytes: () => 1_000,
      jsonOptions: {},
      fastPath: true,
      missingDetails: () => [],
      onFault: (fault) => faults.push(fault),
    },
    () => ({ address: "192.0.2.1", connection: undefined }),
  );
  const { url, listener } = await startListener({
    handle: (request, response) => void handlers.get(request.url ?? "")?.(request, response),
  });
  onTestFinished(() => expect(faults).toEqual([]));
  return {
    url,
    store,
    /** As the app does it. @returns when every connection is closed */
    drain() {
      draining.abort();
      return listener.drain(60_000);
    },
  };
}

/** How a watch began: with a status, or an error. */
interface Outcome {
  readonly status?: HealthCheckResponse_ServingStatus | undefined;
  readonly error?: ConnectError;
}

/**
 * Opens watches by gRPC, which last until the test has finished.
 *
 * @param address of the client
 * @param each how many are opened on each connection, one after the other
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

  /** A watch that ends with the test, if it has not before. */
  function watch(client: Awaited<ReturnType<typeof start>>["client"], service = "") {
    const leave = new AbortController();
    onTestFinished(() => leave.abort());
    const next = take(client.watch({ service }, { signal: leave.signal }));
    return { leave: () => leave.abort(), next: async () => (await next())?.status };
  }

  describe("Check", () => {
    it.each(["", "shop.v1.Shop"])(
      '"%s": SERVING, NOT_SERVING while the store is away',
      async (service) => {
        const { client, store } = await start();
        expect((await client.check({ service })).status).toBe(SERVING);
        store.isUp = false;
        expect((await client.check({ service })).status).toBe(NOT_SERVING);
        store.isUp = true;
        expect((await client.check({ service })).status).toBe(SERVING);
      },
    );

    it("of an unknown service: not_found", async () => {
      const { client } = await start();
      await expect(client.check({ service: "shop.v1" })).rejects.toMatchObject({
        code: Code.NotFound,
        rawMessage: "no shop.v1",
      });
    });
  });

  it("List has the server and every service", async () => {
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
    it.each(["", "shop.v1.Shop"])('"%s": the status at once, then each change', async (service) => {
      const { client, store } = await start();
      const { next } = watch(client, service);
      expect(await next()).toBe(SERVING);
      store.isUp = false;
      expect(await next()).toBe(NOT_SERVING);
      store.isUp = true;
      expect(await next()).toBe(SERVING);
    });

    it("of an unknown service: SERVICE_UNKNOWN, and nothing more until the drain ends it", async () => {
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

    it("draining: NOT_SERVING, then the end, and the drain does not wait for watchers", async () => {
      const { client, drain } = await start();
      const { next } = watch(client);
      expect(await next()).toBe(SERVING);
      const drained = drain();
      expect(await next()).toBe(NOT_SERVING);
      expect(await next()).toBeUndefined();
      await drained;
    });

    it("beyond the bound: unimplemented, until one leaves", async () => {
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

describe("what it costs", () => {
  it("checks at the same time share one ping", async () => {
    const { url, store } = await startHealth();
    const client = anonymous(Health, url);
    const { promise, resolve } = Promise.withResolvers<void>();
    store.held = promise;
    const checks = Array.from({ length: 20 }, () => client.check({}));
    await until("the first ping", () => store.pings > 0);
    // One connection is served in order: who asks for this was read after the checks.
    await expect(client.check({ service: "other" })).rejects.toThrow("no other");
    expect(store.pings).toBe(1);
    resolve();
    expect(new Set((await Promise.all(checks)).map(({ status }) => status))).toEqual(
      new Set([SERVING]),
    );
  });

  it("watchers share one ping, and none is made when they have left", async () => {
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
    // Were there a timer for each, others would come due long before twenty round trips are over.
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
  });

  it("a client that takes nothing gives its place back when it leaves", async () => {
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
    await until("its place is free", async () => !((await watch()) instanceof ConnectError));
  });
});

describe.each(storeKinds)("the server on $name", (kind) => {
  const server = useServer(kind, { ANONYMOUS_PER_MINUTE: "1" });

  it.each(protocols)("is asked without a key or a limit, by %s", async (_, open) => {
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
  });

  it("tells of its services", async () => {
    expect(Object.keys((await anonymous(Health, server.url).list({})).statuses)).toEqual([
      "",
      "inventory.v1.InventoryService",
      "pets.v1.PetService",
      "store.v1.StoreService",
      "admin.v1.AdminService",
    ]);
  });

  it("names the error of a check on none of them: SERVICE_UNKNOWN", async () => {
    const check = anonymous(Health, server.url).check({ service: "x" });
    await expect(check).rejects.toMatchObject({
      code: Code.NotFound,
      rawMessage: "There is no service x.",
    });
  });

  it("serves a client to its bound, and 150 channels of others", async () => {
    const unimplemented = { code: Code.Unimplemented };
    const stranger = await openWatches(server.url, "127.0.0.2", 30, 10);
    // Ten a connection: the other twenty connections have none.
    expect(stranger.filter(({ status }) => status === SERVING)).toHaveLength(100);
    for (const { error } of stranger) if (error) expect(error).toMatchObject(unimplemented);
    expect(stranger.at(-1)?.error?.rawMessage).toContain("MAX_HEALTH_WATCHES_PER_ADDRESS");
    const others = await Promise.all(
      ["127.0.0.3", "127.0.0.4"].map((address) => openWatches(server.url, address, 75, 1)),
    );
    expect(others.flat().map(({ status }) => status)).toEqual(Array(150).fill(SERVING));
  });

  it("UNIMPLEMENTED beyond the bound of a connection, and other connections go on", async () => {
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

describe("bounds of watches", () => {
  const environment = {
    MAX_HEALTH_WATCHES: "5",
    MAX_HEALTH_WATCHES_PER_ADDRESS: "3",
    MAX_HEALTH_WATCHES_PER_CONNECTION: "2",
    TRUSTED_PROXIES: "127.0.0.9",
  };
  const server = useServer(storeKinds[0] as StoreKind, environment);
  const served = (outcomes: readonly Outcome[]) => outcomes.filter(({ status }) => status).length;

  it("UNIMPLEMENTED beyond the bound of the process", async () => {
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

  it("clients of a trusted proxy are counted by their own addresses", async () => {
    const behind = (client: string, count: number) =>
      openWatches(server.url, "127.0.0.9", 1, count, { "x-forwarded-for": client });
    expect(served(await behind("2001:db8::1", 4))).toBe(3);
    // The same /64 network.
    expect(served(await behind("2001:db8::2", 1))).toBe(0);
    expect(served(await behind("2001:db8:0:1::1", 1))).toBe(1);
  });

  it("X-Forwarded-For of a client that is no proxy is ignored", async () => {
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((host) =>
        openWatches(server.url, "127.0.0.2", 1, 1, { "x-forwarded-for": `192.0.2.${host}` }),
      ),
    );
    expect(served(outcomes.flat())).toBe(3);
  });
});

describe("Redis", () => {
  // Options make it a Redis of the file's own.
  const redis = useRedis("--maxmemory-policy", "noeviction");
  const own: { stores?: Stores } = {};
  beforeAll(async () => {
    redis.client.on("error", () => {}); // it connects again, as the server does
    own.stores = createRedisStores(redis.url);
    await own.stores.ready(5_000);
  });
  afterAll(() => own.stores?.close());

  it("away: NOT_SERVING; back: SERVING; draining: NOT_SERVING, and the drain ends", async () => {
    if (!own.stores) throw new Error("the stores exist only while tests run");
    const app = createApp(readConfig({ PORT: "0" }), own.stores, createLog("silent"));
    onTestFinished(() => app.drain(0));
    const { url } = await app.listen(0, "127.0.0.1");
    const client = anonymous(Health, url);
    const next = take(client.watch({ service: "inventory.v1.InventoryService" }));
    expect((await next())?.status).toBe(SERVING);
    await redis.server.kill();
    expect((await next())?.status).toBe(NOT_SERVING);
    expect((await client.check({})).status).toBe(NOT_SERVING);
    await redis.server.start();
    expect((await next())?.status).toBe(SERVING);
    expect((await client.check({})).status).toBe(SERVING);
    const drained = app.drain(60_000);
    expect((await next())?.status).toBe(NOT_SERVING);
    expect(await next()).toBeUndefined();
    await drained;
  });
});
