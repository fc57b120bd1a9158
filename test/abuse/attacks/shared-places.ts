import { setTimeout as delay } from "node:timers/promises";
import { headersFrame, opening, pseudo } from "../../support/http2-frames.ts";
import { type Attack, createFindings, type Keys, type Target } from "./attack.ts";
import { ask, attacker, bearer, http1, open } from "./wire.ts";

/** The flags of a header section without the end of the request. */
const endHeaders = 4;
const streamsOfConnection = 250;

/** Opens requests whose bodies never arrive, from one address. */
async function holdRequests(
  target: Target,
  count: number,
  path: string,
  key: keyof Keys | undefined,
): Promise<void> {
  const headers = [
    ...pseudo("POST", path),
    ["content-type", "application/grpc"] as const,
    ...(key ? [["authorization", `Bearer ${target.keys[key]}`] as const] : []),
  ];
  const streams = Array.from({ length: streamsOfConnection }, (_, n) =>
    headersFrame(1 + 2 * n, headers, endHeaders),
  );
  for (let left = count; left > 0; left -= streamsOfConnection) {
    open(target, attacker(8))
      .resume()
      .write(Buffer.concat([opening(), ...streams]));
    // Slowly, because this attack is about places, not about CPU time.
    await delay(80);
  }
  await delay(300);
}

/** One client takes as many places as it gets, by requests without the end of their bodies. */
function held(
  name: string,
  count: number,
  path: string,
  key: keyof Keys | undefined,
  stranger: (target: Target) => Buffer,
): Attack {
  return {
    name: `all places for ${name}`,
    sends: `${count} unfinished requests from one address, then one from another address`,
    seconds: 10,
    async run(target) {
      const found = createFindings();
      await holdRequests(target, count, path, key);
      const { status } = await ask(target, stranger(target), { from: attacker(9) });
      found.expect(status === 200, `the request from another address has status ${status}`);
      return found.list;
    },
  };
}

export const publicPlaces = held(
  "public requests",
  5_000,
  "/grpc.health.v1.Health/Check",
  undefined,
  () => http1("GET", "/openapi.json", { connection: "close" }),
);

export const unaryPlaces = held(
  "requests",
  5_000,
  "/inventory.v1.InventoryService/UpdateInventory",
  "rich",
  ({ keys }) => http1("GET", "/v1/inventory/1", bearer(keys.other)),
);
