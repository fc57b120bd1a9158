import { Agent, request } from "node:http";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey, type TestKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { storeKinds } from "../support/stores.ts";
import { expectLinear } from "./support/cost.ts";

const memory = storeKinds.filter(({ name }) => name === "memory");

/** Sizes that fit into the header section and the body, with room for the usual headers. */
const headerBytes = 15 * 1024;
const bodyBytes = 60 * 1024;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const patch = { method: "PATCH", path: "/v1/inventory/1" };
const item = { method: "GET", path: "/v1/inventory/1" };
const update = {
  method: "POST",
  path: "/inventory.v1.InventoryService/UpdateInventory",
  headers: { "content-type": "application/json" },
};

/** Worst-case requests: name, status of the largest, its size in bytes, and how to make one. */
const requests: readonly (readonly [string, number, number, (size: number) => Sent])[] = [
  ["a path of colons", 404, headerBytes, (size) => ({ ...item, path: `/${":".repeat(size)}` })],
  [
    "a path with many verbs",
    405,
    headerBytes,
    (size) => ({ ...item, path: `/v1/inventory/1${":adjust".repeat(size / 7)}` }),
  ],
  [
    "a percent-encoded path",
    400,
    headerBytes,
    (size) => ({ ...item, path: `/v1/inventory/${"%41".repeat(size / 3)}` }),
  ],
  [
    "many query parameters",
    400,
    headerBytes,
    (size) => ({ ...item, path: `/v1/inventory?${"a&".repeat(size / 2)}` }),
  ],
  ["a long Host", 400, headerBytes, (size) => ({ ...item, headers: { host: "a".repeat(size) } })],
  [
    "many tags in If-None-Match",
    200,
    headerBytes,
    (size) => ({ ...item, headers: { "if-none-match": '"",'.repeat(size / 3) } }),
  ],
  [
    "many tags in If-Match",
    400,
    headerBytes,
    (size) => ({
      ...patch,
      headers: { "if-match": '"1",'.repeat(size / 4) },
      body: '{"quantity":1}',
    }),
  ],
  [
    "many codings in Accept-Encoding",
    200,
    headerBytes,
    (size) => ({
      method: "GET",
      path: "/openapi.json",
      headers: { "accept-encoding": "x,".repeat(size / 2) },
    }),
  ],
  [
    "many spaces in Authorization",
    401,
    headerBytes,
    (size) => ({ ...item, headers: { authorization: `Bearer a${" ".repeat(size)}b` } }),
  ],
  [
    "many addresses in X-Forwarded-For",
    401,
    headerBytes,
    (size) => ({
      ...item,
      headers: { authorization: "", "x-forwarded-for": "::1,".repeat(size / 4) },
    }),
  ],
  [
    "an integer with many zeros",
    400,
    bodyBytes,
    (size) => ({ ...patch, body: `{"quantity":1${"0".repeat(size)}1e0}` }),
  ],
  [
    "deeply nested arrays",
    400,
    bodyBytes,
    (size) => ({ ...patch, body: `{"quantity":${"[".repeat(size)}` }),
  ],
  [
    "an integer with many digits over Connect",
    400,
    bodyBytes,
    (size) => ({ ...update, body: `{"update":{"petId":"${"9".repeat(size)}"}}` }),
  ],
  [
    "deeply nested objects over Connect",
    400,
    bodyBytes,
    (size) => ({ ...update, body: '{"update":'.repeat(size / 10) }),
  ],
];

describe.each(memory)("the CPU time of a request grows linearly with its size", (kind) => {
  const server = useServer(kind, {
    TRUSTED_PROXIES: "127.0.0.1,::1",
    ANONYMOUS_PER_MINUTE: "1000000",
    ANONYMOUS_PER_DAY: "1000000",
  });
  const agent = new Agent({ keepAlive: true });
  afterAll(() => agent.destroy());
  let key: TestKey;
  beforeEach(async () => {
    await addAccount(
      server.stores,
      { plan: "enterprise", limits: { perMinute: 1_000_000, perDay: 1_000_000 } },
      "aaaaaaaaaaaa",
    );
    key = await addKey(server.stores, "aaaaaaaaaaaa");
    await server.stores.inventory.put([{ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE }]);
  });

  function send({ method, path, headers, body = "" }: Sent): Promise<number> {
    return new Promise((resolve, reject) => {
      const allHeaders = {
        authorization: `Bearer ${key.secret}`,
        "content-length": body.length,
        ...headers,
      };
      request(
        { port: server.port, host: "127.0.0.1", agent, method, path, headers: allHeaders },
        (response) => {
          response.resume().on("end", () => resolve(response.statusCode ?? 0));
        },
      )
        .on("error", reject)
        .end(body);
    });
  }

  test.each(requests)("%s: status %i", async (_, status, largest, shape) => {
    await expectLinear(shape, largest, send);
    expect(await send(shape(largest))).toBe(status);
    expect(server.faults).toEqual([]);
  });
});
