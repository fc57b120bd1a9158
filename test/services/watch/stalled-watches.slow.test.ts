import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ChangeReason, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { largeWindows, opening } from "../../server/support/http2-frames.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { headersFrame } from "../../support/http2-frames.ts";
import { useServer } from "../../support/server.ts";
import { nthVersion, redisKind } from "../../support/stores.ts";
import { ndjson, startWatch, type Watch } from "../../support/watch.ts";
import { until } from "../../system/harness/until.ts";

const heartbeatMs = 100;
const pets = Array.from({ length: 500 }, (_, index) => BigInt(index + 1));

/** Connections that the server has accepted, by the client's port. */
const accepted = new Map<number | undefined, Socket>();
const note = (message: unknown) => {
  const { socket } = message as { socket: Socket };
  accepted.set(socket.remotePort, socket);
};
beforeEach(() => subscribe("net.server.socket", note));
afterEach(() => {
  unsubscribe("net.server.socket", note);
  accepted.clear();
});

/** A watch whose client does not read. */
interface StalledWatch {
  /** True if the server has reset the connection or the stream. */
  isCut(): boolean;
  /** Disconnects without notice, as when the client is killed. */
  disconnect(): void;
}

/** A protocol over which the client does not read. */
interface StalledProtocol {
  readonly name: string;
  /** Number of `fillBuffers` rounds that exceed all buffers between server and client. */
  readonly rounds: number;
  /** True if the server resets a watch even before the buffers are full. */
  readonly isCutEarly: boolean;
  open(port: number, secret: string): Promise<StalledWatch>;
}

/** Sends a request over a connection that it never reads. */
function overTcp(
  name: string,
  isCutEarly: boolean,
  bytes: (secret: string) => string | Buffer,
): StalledProtocol {
  return {
    name,
    rounds: 14,
    isCutEarly,
    async open(port, secret) {
      const socket = connect(port, "127.0.0.1").pause();
      onTestFinished(() => void socket.destroy());
      socket.on("error", () => {});
      await once(socket, "connect");
      const { localPort } = socket;
      socket.write(bytes(secret));
      return {
        isCut: () => accepted.get(localPort)?.destroyed === true,
        disconnect: () => void socket.destroy(),
      };
    },
  };
}

/** An HTTP/2 request with large flow-control windows, so that only TCP stalls the response. */
function http2Bytes(secret: string): Buffer {
  const fields = {
    ":method": "GET",
    ":scheme": "http",
    ":authority": "x",
    ":path": "/v1/inventory:watch",
    authorization: `Bearer ${secret}`,
  };
  return Buffer.concat([opening, largeWindows, headersFrame(1, Object.entries(fields))]);
}

function overHttp2(name: string, fields: IncomingHttpHeaders, body?: Buffer): StalledProtocol {
  return {
    name,
    rounds: 3,
    isCutEarly: true,
    async open(port, secret) {
      const session = connectHttp2(`http://127.0.0.1:${port}`, {
        settings: { initialWindowSize: 0 },
      });
      session.on("error", () => {});
      onTestFinished(() => session.destroy());
      const stream = session.request({ ...fields, authorization: `Bearer ${secret}` });
      stream.on("error", () => {});
      stream.end(body);
      await once(stream, "response");
      return { isCut: () => stream.closed, disconnect: () => session.destroy() };
    },
  };
}

const protocols = [
  overTcp(
    "HTTP/1.1",
    true,
    (secret) =>
      `GET /v1/inventory:watch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nAccept: application/x-ndjson\r\n\r\n`,
  ),
  overTcp("HTTP/2 with an unread connection", false, http2Bytes),
  overHttp2("HTTP/2 with a window of 0", {
    ":path": "/v1/inventory:watch",
    accept: "text/event-stream",
  }),
  overHttp2(
    "gRPC with a window of 0",
    {
      ":method": "POST",
      ":path": "/inventory.v1.InventoryService/WatchInventory",
      "content-type": "application/grpc",
      te: "trailers",
    },
    Buffer.alloc(5),
  ),
];

/** The setup and helpers of the tests. */
function useWatches(environment: Readonly<Record<string, string>>) {
  const server = useServer(redisKind, {
    WATCH_HEARTBEAT_MS: String(heartbeatMs),
    MAX_WATCHES_PER_KEY: "1",
    ...environment,
  });

  let accountId = "";

  /** Fills the stock, and creates two keys of one account. */
  async function begin() {
    const { stores } = server;
    accountId = await addAccount(stores);
    await stores.inventory.put(
      pets.map((petId) => ({ petId, quantity: 0, status: PetStatus.AVAILABLE })),
    );
    return { key: await addKey(stores, accountId), other: await addKey(stores, accountId) };
  }

  /** Starts a watch that reads, and waits for its snapshot. */
  async function startReadWatch(secret: string): Promise<Watch> {
    const readWatch = startWatch(ndjson, { url: server.url, secret });
    await readWatch.reached(nthVersion(pets.length));
    return readWatch;
  }

  /** Makes rounds of 500 changes of about 2,200 bytes. The account's own watches also receive the notes. */
  async function fillBuffers(readWatch: Watch, rounds: number): Promise<void> {
    const origin = {
      reason: ChangeReason.ADJUSTMENT,
      note: "𝄞".repeat(500), // 4 bytes each, so that few changes fill the buffers
      reference: "",
      accountId,
      keyId: "",
      requestId: "",
    };
    for (let round = 1; round <= rounds; round += 1) {
      const updates = pets.map((petId) => ({ petId, quantity: round }));
      await server.stores.inventory.setQuantities(updates, { origin });
      await readWatch.reached(nthVersion(pets.length * (round + 1)));
    }
  }

  /** Waits until a key can start a watch again. */
  async function canWatch(secret: string): Promise<void> {
    for (;;) {
      const watch = startWatch(ndjson, { url: server.url, secret });
      const outcome = await until("the watch begins or is refused", () =>
        watch.end === undefined ? watch.token !== "" && "begun" : watch.end,
      );
      watch.disconnect();
      if (outcome === "begun") return;
      expect(String(outcome)).toContain("MAX_WATCHES_PER_KEY");
      await delay(2);
    }
  }

  return { server, begin, startReadWatch, fillBuffers, canWatch };
}

describe("an unread watch", () => {
  const { server, begin, startReadWatch, fillBuffers } = useWatches({
    WATCH_BACKLOG: "100000",
  });

  describe.each(protocols)("over $name", ({ open, rounds, isCutEarly }) => {
    const fills = isCutEarly ? ["full", "not full"] : ["full"];
    it.each(fills)(
      "is reset when its key is revoked (buffers: %s)",
      async (fill) => {
        const { key, other } = await begin();
        const readWatch = await startReadWatch(other.secret);
        const stalled = await open(server.port, key.secret);
        if (fill === "full") await fillBuffers(readWatch, rounds);
        await delay(2 * heartbeatMs);
        expect(stalled.isCut()).toBe(false);
        await server.stores.accounts.revokeKey(key.keyId);
        await until("the watch is reset", stalled.isCut);
        expect(readWatch.end).toBeUndefined();
        expect(server.faults).toEqual([]);
      },
      30_000,
    );

    it("does not delay a drain for more than 10 s", async () => {
      const { key, other } = await begin();
      const readWatch = await startReadWatch(other.secret);
      await open(server.port, key.secret);
      await fillBuffers(readWatch, rounds);
      const begun = performance.now();
      await server.drain(20_000);
      expect(performance.now() - begun).toBeLessThan(10_000);
      expect(server.faults).toEqual([]);
    }, 40_000);
  });
});

describe("an unread watch with WATCH_BACKLOG=3000", () => {
  const { server, begin, startReadWatch, fillBuffers, canWatch } = useWatches({
    WATCH_BACKLOG: "3000",
  });

  it.each(protocols)(
    "is reset over $name when more than 3,000 changes are unread",
    async ({ open, rounds }) => {
      const { key, other } = await begin();
      const readWatch = await startReadWatch(other.secret);
      const stalled = await open(server.port, key.secret);
      await fillBuffers(readWatch, rounds + 7);
      await until("the watch is reset", stalled.isCut);
      await canWatch(key.secret);
      expect(readWatch.end).toBeUndefined();
      expect(server.faults).toEqual([]);
    },
    30_000,
  );
});
