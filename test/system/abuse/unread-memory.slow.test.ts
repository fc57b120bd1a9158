import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { newAccountId } from "../../../src/access/api-key.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openConnections } from "../../support/open-connections.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { type LiveServer, startLiveServer } from "../harness/live-server.ts";
import { startRedisServer } from "../harness/redis-server.ts";
import type { Target } from "./attacks/attack.ts";
import { unreadMemory } from "./attacks/unread-memory.ts";
import { http1, leftOver, openMany, times } from "./attacks/wire.ts";
import { attackFromProcess } from "./processes.ts";

/** Most that a client at one address may make the process grow, in MB. */
const mostGrowth = 350;
/** Most that remains of it, in MB, after at most so many ms. */
const mostLeft = 150;
const returnMs = 60_000;
const sampleMs = 20;
const sendTimeoutMs = 2_000;

const own: { server?: LiveServer; target?: Target } = {};

beforeEach(async () => {
  const redis = await startRedisServer();
  onTestFinished(() => redis.stop());
  const stores = openRedisStores(redis.url);
  onTestFinished(() => stores.close());
  await stores.ready(5_000);
  const limits = { perMinute: 1_000_000, perDay: 1_000_000_000 };
  const account = await addAccount(stores, { plan: "enterprise", limits }, newAccountId());
  const { secret } = await addKey(stores, account);
  // An idle connection stays open for longer than the test.
  const server = await startLiveServer({
    REDIS_URL: redis.url,
    SEND_TIMEOUT_MS: String(sendTimeoutMs),
  });
  onTestFinished(() => server.kill());
  const keys = { rich: secret, other: "", free: "", admin: "", doomed: "", doomedId: "" };
  own.server = server;
  own.target = { port: server.port, keys };
});

describe(`a client that reads nothing makes the process grow by at most ${mostGrowth} MB:`, () => {
  test.each(unreadMemory.map((attack) => [attack.name, attack] as const))(
    "%s",
    { timeout: 30_000 + returnMs },
    async (_, attack) => {
      const { server, target } = own;
      if (!server || !target) throw new Error("there is no server");
      const before = server.residentMegabytes();
      let most = before;
      const sampling = setInterval(() => {
        most = Math.max(most, server.residentMegabytes());
      }, sampleMs);
      onTestFinished(() => clearInterval(sampling));
      expect(await attackFromProcess(attack, target)).toEqual([]);
      expect(server.ended).toBeUndefined();
      expect(most - before).toBeLessThan(mostGrowth);
      const left = () => server.residentMegabytes() - before;
      await vi.waitFor(() => expect(left()).toBeLessThan(mostLeft), returnMs);
    },
  );
});

test("a client whose unread response is in the kernel is disconnected", async () => {
  const { target } = own;
  if (!target) throw new Error("there is no server");
  const before = openConnections(target.port);
  const sockets = await openMany(target, 50, 1);
  // More than the client's kernel takes, and less than that of the server.
  const documents = Buffer.concat([...times(5, http1("GET", "/openapi.json"))]);
  for (const socket of sockets) socket.pause().write(documents);
  // A probe for the readiness of the server can be open as well.
  expect(openConnections(target.port)).toBeGreaterThanOrEqual(50);
  expect(await leftOver(target, before, 4 * sendTimeoutMs)).toBeLessThanOrEqual(5);
});
