import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, it } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import {
  rpcName,
  sampleAccountId,
  sampleHoldId,
  sampleKeyId,
  sampleOrderId,
  sampleRequest,
} from "../../src/api-docs/samples/requests.ts";
import { sampleItems } from "../../src/stores/memory/sample.ts";
import { bearer, operator, useContract } from "../contract/support.ts";
import { methods } from "../docs/reference.ts";
import type { TestKey } from "../support/accounts.ts";
import { storeKinds } from "../support/stores.ts";

interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
    >;
  };
}

const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> } =
  JSON.parse(readFileSync(join(import.meta.dirname, "../../gen/openapi.json"), "utf8"));

/** Every request of the reference page for JSON over HTTP: verb, path, media type, name of the body and body. */
const httpRequests = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, { operationId }]) => operationId)
    .flatMap(([verb, { requestBody }]) => {
      const line = `${verb.toUpperCase()} /v1${path}`;
      const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, { examples }]) =>
        Object.entries(examples ?? {}).map(
          ([name, { value }]) => [line, type, name, value] as const,
        ),
      );
      return bodies.length > 0 ? bodies : [[line, "", "no body", undefined] as const];
    }),
);

/** What a sample needs that the sample data do not have, by the name of its method. */
const needsOrder = /Order$/;
const needsHold = /(?:Confirm|Release|Get)Hold$/i;

const memory = storeKinds.filter(({ name }) => name === "memory");

describe.each(memory)("the samples of the reference page, with the sample data", (kind) => {
  const contract = useContract(kind);
  const at = { orderId: "", accountId: "aaaaaaaaaaaa" };
  let key: TestKey;

  beforeEach(async () => {
    await contract.server.stores.inventory.put(sampleItems);
    key = (await operator(contract)).key;
  });

  const send = (line: string, body?: unknown, type = "application/json") =>
    contract.send(line, {
      ...(body !== undefined && {
        headers: { "content-type": type },
        body: JSON.stringify(body),
      }),
    });

  async function prepare(name: string): Promise<void> {
    if (needsOrder.test(name) || name.includes("{orderId}")) {
      const { body } = await send("POST /v1/store/orders", { petId: 1, quantity: 1 });
      at.orderId = String(JSON.parse(body).orderId);
    }
    if (needsHold.test(name) || /{holdId}:|(?:DELETE|GET) .*{holdId}/.test(name)) {
      const items = [{ petId: 1, quantity: 1 }];
      expect((await send(`PUT /v1/store/holds/${sampleHoldId}`, { items })).status).toBe(200);
    }
    if (name === "RemoveItem") {
      await contract.server.stores.inventory.put([{ petId: 100n, quantity: 1, status: 1 }]);
    }
  }

  it.each(httpRequests)("%s %s %s", async (line, type, _, body) => {
    await prepare(line);
    const target = line
      .replace("{petId}", "1")
      .replace("{orderId}", at.orderId)
      .replace("{holdId}", sampleHoldId);
    const isEndless = target.endsWith(":watch");
    const reply = isEndless
      ? await contract.send(target, { isEndless })
      : await send(target, body, type);
    expect([reply.status, reply.body]).toEqual([200, expect.any(String)]);
  });

  const withIds = (request: JsonObject) =>
    JSON.parse(
      JSON.stringify(request)
        .replaceAll(sampleAccountId, at.accountId)
        .replaceAll(sampleKeyId, contract.own.keyId)
        .replaceAll(sampleOrderId, at.orderId),
    );

  it.each(
    methods
      .filter(({ methodKind }) => methodKind === "unary")
      .map((method) => [rpcName(method), method] as const),
  )("%s", async (path, method) => {
    await prepare(method.name);
    // Orders and holds belong to the account that made them.
    const isAdmin = method.parent === AdminService;
    const authorization = bearer(isAdmin ? key : contract.own);
    const reply = await contract.call(path, withIds(sampleRequest(method)), { authorization });
    expect([reply.status, reply.body]).toEqual([200, expect.any(String)]);
  });

  it("ImportInventory", async () => {
    const admin = contract.client(AdminService, key);
    const { method } = AdminService;
    const request = fromJson(method.importInventory.input, sampleRequest(method.importInventory));
    async function* upload() {
      yield request;
    }
    const summary = await admin.importInventory(upload());
    expect(summary).toMatchObject({ rows: 1n, created: 0n });
  });
});
