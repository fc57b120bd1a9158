import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { singleServer } from "../../../src/stores/redis/connection/settings.ts";
import { openRedisConnection } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { until } from "../harness/until.ts";

const redis = useRedis("--appendonly", "no");
const sockets = new Set<Socket>();
/** A sentinel without others. It replies to `heldRounds` requests only when it gets the next one: too late. */
const sentinel = { port: 0, rounds: 0, heldRounds: 0, release: () => {} };
const hello = "%1\r\n$5\r\nproto\r\n:3\r\n";
const bulk = (...texts: string[]) =>
  `*${texts.length}\r\n${texts.map((text) => `$${text.length}\r\n${text}\r\n`).join("")}`;

const acceptor = createServer((socket) => {
  sockets.add(socket);
  let earlier = Promise.resolve();
  socket.on("error", () => {});
  socket.on("data", (data) => {
    for (const [command] of String(data).matchAll(
      /hello|GET-MASTER-ADDR-BY-NAME|MASTER\r|SENTINELS/g,
    )) {
      let reply = command === "hello" ? hello : bulk();
      if (command === "GET-MASTER-ADDR-BY-NAME") {
        sentinel.rounds += 1;
        sentinel.release();
        reply = bulk("127.0.0.1", String(redis.server.port));
        if (sentinel.heldRounds > 0) {
          sentinel.heldRounds -= 1;
          const { promise, resolve } = Promise.withResolvers<void>();
          sentinel.release = resolve;
          earlier = earlier.then(() => promise);
        }
      } else if (command.startsWith("MASTER")) reply = bulk("config-epoch", "0");
      earlier = earlier.then(() => void socket.write(reply));
    }
  });
});

async function listen(): Promise<void> {
  acceptor.listen(sentinel.port, "127.0.0.1");
  await once(acceptor, "listening");
  sentinel.port = (acceptor.address() as AddressInfo).port;
}

function close(): void {
  acceptor.close();
  for (const socket of sockets) socket.destroy();
}

const lines: string[] = [];

beforeAll(listen);
beforeEach(() => {
  sentinel.heldRounds = 0;
  lines.length = 0;
});
afterAll(close);

/** Connects, and notes outages of the sentinels. */
async function connected(): Promise<void> {
  const lost = new Set<string>();
  const connection = openRedisConnection(
    {
      ...singleServer(redis.url),
      mode: "sentinel",
      addresses: [{ host: "127.0.0.1", port: sentinel.port }],
      sentinelName: "shop",
    },
    {
      outages: {
        lost(server, reason) {
          if (server === "sentinels" && !lost.has(server)) lines.push(`lost: ${reason}`);
          lost.add(server);
        },
        recovered(server) {
          if (lost.delete(server) && server === "sentinels") lines.push("recovered");
        },
      },
    },
  );
  onTestFinished(() => connection.close());
  await connection.ready(10_000);
}

test("replies that come too late once are not an outage of the sentinels", async () => {
  await connected();
  sentinel.heldRounds = 1;
  await until("a reply is held", () => sentinel.heldRounds === 0);
  const { rounds } = sentinel;
  await until("the sentinel is asked twice more", () => sentinel.rounds > rounds + 1);
  expect(lines).toEqual([]);
});

test("the reason of an outage of the sentinels is not that of an earlier one", async () => {
  await connected();
  close();
  await until("the sentinels are lost", () => lines.length === 1);
  await listen();
  await until("the sentinels are back", () => lines.length === 2);
  sentinel.heldRounds = Number.POSITIVE_INFINITY;
  await until("they are lost again", () => lines.length === 3);
  expect(lines).toEqual([
    expect.stringMatching(/^lost: connect ECONNREFUSED/),
    "recovered",
    "lost: Command timed out",
  ]);
});
