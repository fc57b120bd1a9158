import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { listen } from "../../support/listen.ts";

/** A proxy between a server and Redis that can delay or lose replies. */
export interface RedisProxy {
  readonly url: string;
  /** Port for new connections. Open connections are not affected. */
  target: number;
  /** Delay of each reply, in ms. */
  delayMs: number;
  /** Number of replies to pass on. After them, each connection with a further reply stalls forever. */
  repliesLeft: number;
  /** Number of chunks sent to Redis so far. */
  requests: number;
  /** Called with each chunk for Redis before it is passed on. */
  onRequest: (data: Buffer) => void;
  /** Closes all connections. */
  drop(): void;
}

/** Starts a proxy; set its `target` before use. Call it once in a test file. */
export function useRedisProxy(): RedisProxy {
  const sockets = new Set<Socket>();
  const proxy = {
    url: "",
    target: 0,
    delayMs: 0,
    repliesLeft: Number.POSITIVE_INFINITY,
    requests: 0,
    onRequest: (_: Buffer) => {},
    drop() {
      for (const socket of sockets) socket.destroy();
    },
  };

  const acceptor = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: proxy.target, host: "127.0.0.1", noDelay: true });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.once("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.on("data", (data: Buffer) => {
      proxy.requests += 1;
      proxy.onRequest(data);
    });
    client.pipe(upstream);
    let stalled = false;
    let earlier = Promise.resolve();
    upstream.on("data", (reply) => {
      const held = delay(proxy.delayMs);
      // Replies stay in order, even if the delay changes.
      earlier = earlier.then(async () => {
        await held;
        stalled ||= proxy.repliesLeft === 0;
        if (!stalled) {
          proxy.repliesLeft -= 1;
          client.write(reply);
        }
      });
    });
  });

  beforeAll(async () => {
    proxy.url = (await listen(acceptor)).replace("http:", "redis:");
  });
  afterAll(async () => {
    acceptor.close();
    proxy.drop();
  });
  return proxy;
}
