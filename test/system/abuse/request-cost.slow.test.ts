import { Agent, request } from "node:http";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey, type TestKey } from "../../support/accounts.ts";
import { useServer } from "../../support/server.ts";
import { storeKinds } from "../../support/stores.ts";
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

const pet = "/inventory.v1.InventoryService/GetInventoryItem";
const requestOf = (path: string) => ({ method: "GET", path: `/${path}` });
const withHeader = (name: string, value: string) => ({ ...item, headers: { [name]: value } });
const withQuantity = (text: string) => ({ ...patch, body: `{"quantity":${text}}` });
const withPetId = (text: string) => ({ ...update, path: pet, body: `{"petId":${text}}` });

/** Worst-case requests: status of the largest, its size in bytes, a text to repeat, and the request with it. */
const requests: readonly (readonly [
  status: number,
  size: number,
  unit: string,
  request: (text: string) => Sent,
])[] = [
  ...[":", "/", "%3A", "*", "../../"].map((unit) => [404, headerBytes, unit, requestOf] as const),
  [
    404,
    headerBytes,
    "ListInventory/",
    (text) => requestOf(`inventory.v1.InventoryService/${text}`),
  ],
  [405, headerBytes, ":adjust", (text) => requestOf(`v1/inventory/1${text}`)],
  [400, headerBytes, "%41", (text) => requestOf(`v1/inventory/${text}`)],
  [400, headerBytes, "9", (text) => requestOf(`v1/inventory/${text}`)],
  ...["a&", "a.", "%41", "pageSize=1&", "pageSize=0"].map(
    (unit) =>
      [400, headerBytes, unit, (text: string) => requestOf(`v1/inventory?${text}`)] as const,
  ),
  ...[
    ["host", "a", 400],
    ["if-none-match", '"",', 200],
    ["accept", "a/b;q=0.", 200],
    ["accept-encoding", "x,", 200],
    ["content-encoding", "gzip,", 200],
    ["connect-timeout-ms", "0", 400],
    ["cookie", "a=b;", 200],
    ["origin", "http://a", 200],
    ["last-event-id", "9", 200],
    ["x-request-id", "a", 200],
    ["traceparent", "00-", 200],
    ["range", "0-1,", 200],
    ["forwarded", "for=a,", 200],
  ].map(
    ([name, unit, status]) =>
      [
        Number(status),
        headerBytes,
        `${unit}`,
        (text: string) => withHeader(`${name}`, text),
      ] as const,
  ),
  [
    400,
    headerBytes,
    '"1",',
    (text) => ({ ...patch, headers: { "if-match": text }, body: '{"quantity":1}' }),
  ],
  [401, headerBytes, " ", (text) => withHeader("authorization", `Bearer a${text}b`)],
  [
    401,
    headerBytes,
    "::1,",
    (text) => ({ ...item, headers: { authorization: "", "x-forwarded-for": text } }),
  ],
  [400, bodyBytes, "0", (text) => withQuantity(`1${text}1e0`)],
  [400, bodyBytes, "9", (text) => withQuantity(`1e-${text}`)],
  [400, bodyBytes, "[", withQuantity],
  [400, bodyBytes, "9", (text) => withPetId(`"${text}"`)],
  [400, bodyBytes, '{"update":', (text) => ({ ...update, body: text })],
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

  test.each(
    requests.map(([status, size, unit, request]) => {
      const shape = (bytes: number) => request(unit.repeat(bytes / unit.length));
      const { method, path, headers, body = "" } = shape(unit.length);
      const name = `${method} ${path} ${JSON.stringify(headers ?? {})} ${body}`;
      return [name, status, size, shape] as const;
    }),
  )("%s, longer: status %i", async (_, status, size, shape) => {
    await expectLinear(shape, size, send);
    expect(await send(shape(size))).toBe(status);
    expect(server.faults).toEqual([]);
  });
});
