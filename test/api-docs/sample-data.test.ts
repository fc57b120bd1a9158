import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DescMethod, fromJson } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "vitest";
import { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { rpcName, sampleRequest } from "../../packaging/generate/samples/requests.ts";
import { sampleHoldId } from "../../packaging/generate/samples/sample.ts";
import { sampleItems } from "../../src/stores/memory/sample.ts";
import { bearer, operator, useContract } from "../contract/support.ts";
import type { TestKey } from "../support/accounts.ts";
import { addSampleData, methodOf, methods, requestOf } from "../support/operations.ts";
import { upload } from "../support/stock.ts";
import { memoryKind } from "../support/stores.ts";

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
    .flatMap(([verb, { operationId, requestBody }]) => {
      const line = `${verb.toUpperCase()} /v1${path}`;
      const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, { examples }]) =>
        Object.entries(examples ?? {}).map(
          ([name, { value }]) => [line, type, name, operationId, value] as const,
        ),
      );
      return bodies.length > 0 ? bodies : [[line, "", "no body", operationId, undefined] as const];
    }),
);

describe("the samples of the reference page, with the sample data", () => {
  const contract = useContract(memoryKind);
  let key: TestKey;

  beforeEach(async () => {
    key = (await operator(contract)).key;
  });

  async function prepare(method: DescMethod) {
    const data = await addSampleData(contract.server.stores, method);
    await contract.server.stores.catalog.put(sampleItems);
    return data;
  }

  test.each(httpRequests)("%s %s %s", async (line, type, _, operationId, body) => {
    const { orderId, key: own } = await prepare(methodOf(operationId));
    const target = line
      // Units of pet 1 are held, so it cannot be removed.
      .replace("{petId}", operationId === "removePet" ? "100" : "1")
      .replace("{orderId}", orderId)
      .replace("{holdId}", sampleHoldId);
    const reply = await contract.send(target, {
      authorization: bearer(own),
      isEndless: target.endsWith(":watch"),
      ...(body !== undefined && { headers: { "content-type": type }, body: JSON.stringify(body) }),
    });
    expect([reply.status, reply.body]).toEqual([200, expect.any(String)]);
  });

  test.each(
    methods
      .filter(({ methodKind }) => methodKind === "unary")
      .map((method) => [rpcName(method), method] as const),
  )("%s", async (path, method) => {
    const data = await prepare(method);
    // Orders and holds belong to the account that made them.
    const authorization = bearer(method.parent === AdminService ? key : data.key);
    const reply = await contract.call(path, requestOf(method, data), { authorization });
    expect([reply.status, reply.body]).toEqual([200, expect.any(String)]);
  });

  test("ImportPets", async () => {
    const catalog = contract.client(CatalogService, key);
    await contract.server.stores.catalog.put(sampleItems);
    const { importPets } = CatalogService.method;
    const request = fromJson(importPets.input, sampleRequest(importPets));
    const summary = await catalog.importPets(upload(request));
    expect(summary).toMatchObject({ rows: 1n, created: 0n });
  });
});
