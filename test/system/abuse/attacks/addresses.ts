import { setTimeout as delay } from "node:timers/promises";
import { type Attack, createFindings } from "./attack.ts";
import { redisUse } from "./redis.ts";
import { call } from "./rpc.ts";
import { ask, bearer, http1, open, pour, proxyAddress } from "./wire.ts";

const addresses = 20_000;
const seconds = 5;

/** Most bytes by which Redis may grow. Separate counters for 20,000 addresses would take about 13 MB. */
const mostBytes = 4_000_000;

/** Redis uses bounded memory to count requests by address, however many addresses there are. */
export const manyAddresses: Attack = {
  name: "flood from many IPv6 networks",
  sends: `${addresses} requests without a key, each from a different /64 of one /32`,
  seconds,
  async run(target) {
    const until = performance.now() + seconds * 700;
    const before = await redisUse(target);
    const sockets = Array.from({ length: 20 }, () => open(target, proxyAddress).resume());
    await Promise.all(
      sockets.map((socket, n) => pour(socket, forged(n, addresses / sockets.length), until)),
    );
    await delay(500);
    const grown = (await redisUse(target)).bytes - before.bytes;
    return grown > mostBytes ? [`Redis grew by ${Math.round(grown / 1_000)} KB`] : [];
  },
};

function* forged(socket: number, count: number): Generator<Buffer> {
  for (let n = 0; n < count; n += 10) {
    yield Buffer.concat(
      Array.from({ length: 10 }, (_, m) => {
        const network = (socket * count + n + m).toString(16).padStart(8, "0");
        const address = `2001:db8:${network.slice(0, 4)}:${network.slice(4)}::1`;
        return http1("GET", "/v1/inventory", { "x-forwarded-for": address });
      }),
    );
  }
}

const imported = 5_000;
const itemsOfMessage = 500;
const keylessLists = 200;

/** Most CPU time that Redis may spend on the lists, in ms. Reading the imported items would cost 3 ms for each. */
const mostCpuMs = 200;

/** A list request without a key is refused before Redis reads any items. */
export const keylessList: Attack = {
  name: "list requests without a key after an import",
  sends: `an import of ${imported} items, then ${keylessLists} GET /v1/inventory without a key`,
  seconds,
  async run(target) {
    const found = createFindings();
    // Once the whole list is cached, each request for it queries Redis for the changes since.
    const listed = await ask(target, http1("GET", "/v1/inventory", bearer(target.keys.rich)));
    found.expect(listed.status === 200, `the list: status ${listed.status}`);
    const quantity = 40_000 + (Date.now() % 1_000);
    for (let first = 1; first <= imported; first += itemsOfMessage) {
      const items = Array.from({ length: itemsOfMessage }, (_, n) => ({
        petId: first + n,
        quantity,
        status: "PET_STATUS_AVAILABLE",
      }));
      const { status } = await call(
        target,
        "admin.v1.AdminService/ImportItems",
        { items },
        "admin",
      );
      found.expect(status === 200, `the import: status ${status}`);
    }
    const before = await redisUse(target);
    const socket = open(target).resume();
    // One at a time: requests of the same event-loop tick would share their query to Redis.
    for (let n = 0; n < keylessLists; n++) {
      socket.write(http1("GET", "/v1/inventory"));
      await delay(1);
    }
    const spent = (await redisUse(target)).cpuMs - before.cpuMs;
    found.expect(spent < mostCpuMs, `Redis spent ${Math.round(spent)} ms`);
    return found.list;
  },
};
