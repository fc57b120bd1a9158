import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";

/** What stands between a server and Redis, and can be made to misbehave. */
export interface RedisProxy {
  readonly url: string;
  /** Where connections made from now on lead to; those there are stay as they are. */
  target: number;
  /** How long each reply is held back, in milliseconds. */
  delayMs: number;
  /** How many more replies are let through; the connection of the next one stalls for good. */
  repliesLeft: number;
  /** How often something was sent to Redis. */
  requests: number;
  /** Called with what is sent to Redis, before it is passed on. */
  onRequest: (data: Buffer) => void;
  /** Breaks all connections. */
  drop(): void;
}

/** To be called once in a test file. Stands in front of no server until `target` is set. */
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
      // In their order, whatever their delays.
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
    acceptor.listen(0, "127.0.0.1");
    await once(acceptor, "listening");
    proxy.url = `redis://127.0.0.1:${(acceptor.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    acceptor.close();
    proxy.drop();
  });
  return proxy;
}
