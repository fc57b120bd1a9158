import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useServer } from "../../support/server.ts";
import { memoryKind } from "../../support/stores.ts";
import { type Call, createCorpus } from "./corpus.ts";
import { headerNames, headerValues } from "./mutations.ts";
import { sendCase } from "./send.ts";
import { http1Bytes, http2Bytes, http2Frames } from "./wire.ts";

/** A request of each kind. Each gets a response, and none leaves a stream open. */
const kinds: readonly (readonly [name: string, changes?: Partial<Call>])[] = [
  ["REST GET /livez"],
  ["REST GET /docs"],
  ["REST GET /openapi.json"],
  ["REST GET /v1/inventory?pageSize=10"],
  ["REST GET /v1/inventory/1"],
  ["REST GET /v1/inventory/1", { path: "/v1/nothing" }],
  ["REST PATCH /v1/inventory/1"],
  ["REST OPTIONS /v1/inventory/1"],
  ["Connect GET ListInventory"],
  ["Connect UpdateInventory", { body: Buffer.from("{}") }],
  ["Connect Check"],
  ["Connect stream WatchInventory", { body: Buffer.from("\0\0\0\0\x01{") }],
  ["gRPC-Web ListInventory"],
  ["gRPC-Web JSON UpdateInventory"],
  ["gRPC-Web ImportPets"],
  ["gRPC ListInventory"],
  ["gRPC ListInventory", { path: "/inventory.v1.InventoryService/Nothing" }],
];

/** The others frame the message: without a body that fits, the server waits for the rest. */
const names = headerNames.filter((name) => !/^(?:transfer-encoding|content-length)$/.test(name));

const queries = [
  ...["?", "??", "?&&==&", "?%", "?%ff=%ff", "?a=%00", "?#", "?\x80\xff"],
  "?__proto__=1&constructor=1&toString.valueOf=1",
  "?encoding=proto&message=%ff",
  "?encoding=proto&base64=1&message=!",
  "?encoding=json&base64=1&message=ew",
  "?encoding=json&message=%7B%22%5Cud800%22:1%7D",
  "?encoding=json&compression=gzip&message=%7B%7D",
  "?encoding=json&compression=%ff&message=%7B%7D",
  "?connect=v2&encoding=json&message=%7B%7D",
];

const bodies = [
  ...["", "\0", "\xff", "{", "null", "[]", '"\\ud800"', '{"\\ud800":1}'],
  '{"__proto__":1,"constructor":1}',
  ...["\0\0\0\0\x02{", "\x01\0\0\0\x02{}", "\x02\0\0\0\x02{}", "\x80\0\0\0\x02{}"],
  ...["\0\xff\xff\xff\xff", '\0\0\0\0\x0c{"\\ud800":1}'],
];

/** Chooses what makes the simplest frames. */
const simplest = {
  oneIn: () => false,
  between: (least: number) => least,
  pick: <T>([first]: readonly [T, ...T[]]) => first,
};

describe("the server has no fault", () => {
  const server = useServer(memoryKind, { TRUSTED_PROXIES: "127.0.0.1" });
  let corpus: readonly Call[];
  beforeEach(async () => {
    const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
    const accountId = await addAccount(server.stores, { plan: "enterprise", limits });
    const { secret, keyId } = await addKey(server.stores, accountId, {
      scopes: ["inventory:read", "inventory:write", "admin"],
    });
    const ids = { accountId, keyId, orderId: "1", othersOrderId: "1" };
    corpus = createCorpus({ rich: secret, admin: secret, ...ids });
    await server.stores.catalog.put([{ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE }]);
  });

  function hostileTo(base: Call): Call[] {
    return [
      ...names.flatMap((name) =>
        [...headerValues, "%zz", "\x80\xff", "1e999", "a".repeat(3_000)].map((value) => {
          const others = base.headers.filter((header) => header[0] !== name);
          return { ...base, headers: [...others, [name, value] as [string, string]] };
        }),
      ),
      ...queries.map((query) => ({ ...base, path: base.path.split("?", 1)[0] + query })),
      ...(base.method === "GET"
        ? []
        : bodies.map((body) => ({ ...base, body: Buffer.from(body, "latin1") }))),
    ];
  }

  test.each(kinds.flatMap((each) => (["http1", "http2"] as const).map((http) => ({ http, each }))))(
    "over $http: $each",
    { timeout: 120_000 },
    async ({ http, each: [name, changes] }) => {
      const base = corpus.find((call) => call.name === name);
      if (!base) throw new Error(`no call ${name}`);
      if (base.http2Only && http === "http1") return expect(name).toMatch(/^gRPC /);
      const left = hostileTo({ ...base, ...changes }).values();
      const worker = async () => {
        for (const call of left) {
          const bytes =
            http === "http1" ? http1Bytes(call) : http2Bytes(http2Frames(call, simplest));
          const fault = await sendCase({ kind: http, name, bytes, cuts: [] }, server.port);
          expect([fault, call.path, call.headers.at(-1)]).toEqual([
            undefined,
            call.path,
            call.headers.at(-1),
          ]);
        }
      };
      await Promise.all(Array.from({ length: 50 }, worker));
      expect(server.faults).toEqual([]);
    },
  );
});
