import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { CatalogService } from "../../gen/catalog/v1/catalog_pb.ts";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { listed } from "../support/stock.ts";
import {
  bearer,
  describeApi,
  expectConnectError,
  expectError,
  failure,
  operator,
  ownAccount,
  stock,
  unknownPet,
} from "./support.ts";

const list = "GET /v1/catalog";

describeApi("the catalogue in $name", (contract) => {
  const { send } = contract;

  async function change(line: string, body?: object) {
    return send(line, {
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  test("GET /v1/catalog returns all entries, by ascending pet id", async () => {
    const reply = await send(list);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body)).toMatchObject([
      { petId: 1, status: "available" },
      { petId: 2, status: "sold" },
      { status: "pending" },
    ]);
    expect(reply.headers.etag).toMatch(/^"\d+"$/);
  });

  test("its pages have all entries, each once", async () => {
    const first = await send(`${list}?pageSize=2`);
    const [, next = ""] = /<([^>]+)>; rel="next"/.exec(String(first.headers.link)) ?? [];
    const second = await send(`GET ${next}`);
    expect(second.headers.link).toBeUndefined();
    expect([...JSON.parse(first.body), ...JSON.parse(second.body)]).toEqual(
      JSON.parse((await send(list)).body),
    );
  });

  test("GET /v1/catalog/{petId} returns an entry with the entity tag of the catalogue", async () => {
    const reply = await send("GET /v1/catalog/1");
    expect(JSON.parse(reply.body)).toMatchObject({ petId: 1, status: "available" });
    expect(reply.headers.etag).toBe((await send(list)).headers.etag);
    expectError(await send(`GET /v1/catalog/${unknownPet}`), 404, "not_found", String(unknownPet));
  });

  test("304 while the catalogue has the entity tag of the client", async () => {
    for (const line of [list, "GET /v1/catalog/1"]) {
      const etag = String((await send(line)).headers.etag);
      const unchanged = await send(line, { headers: { "if-none-match": etag } });
      expect([unchanged.status, unchanged.body]).toEqual([304, ""]);
      await change("PATCH /v1/catalog/1", { status: line === list ? "sold" : "pending" });
      expect((await send(line, { headers: { "if-none-match": etag } })).status).toBe(200);
      const stale = await send(line, { headers: { "if-match": etag } });
      expectError(stale, 412, "aborted", "If-Match");
    }
  });

  test("POST adds a pet that is available, without units, unless the request says otherwise", async () => {
    const added = await change("POST /v1/catalog", { petId: 3 });
    expect(added.status).toBe(200);
    expect(JSON.parse(added.body)).toMatchObject({ petId: 3, status: "available" });
    await change("POST /v1/catalog", { petId: 4, status: "pending", quantity: 7 });
    const { body } = await send("GET /v1/inventory?petIds=3&petIds=4");
    expect(body).toBe(
      '[{"petId":3,"quantity":0,"status":"available"},{"petId":4,"quantity":7,"status":"pending"}]',
    );
    const [newest] = (await contract.server.stores.inventory.changes({ limit: 1 }))?.changes ?? [];
    expect(newest).toMatchObject({ reason: ChangeReason.IMPORT, accountId: ownAccount });
  });

  test("409 for a pet that exists, which does not change", async () => {
    const reply = await change("POST /v1/catalog", { petId: 1, quantity: 99, status: "sold" });
    expectError(reply, 409, "already_exists", "Pet 1", "PET_EXISTS");
    expect(await listed(contract.server.stores.inventory)).toEqual(stock);
  });

  test.each([
    [{ quantity: 1 }, "petId"],
    [{ petId: -1 }, "petId"],
    [{ petId: "3" }, "petId"],
    [{ petId: 3, quantity: -1 }, "quantity"],
    [{ petId: 3, quantity: null }, "quantity"],
    [{ petId: 3, status: "gone" }, "status"],
    [{ petId: 3, colour: "red" }, "colour"],
  ])("400 names the field of %j", async (body, field) => {
    expectError(await change("POST /v1/catalog", body), 400, "invalid_argument", field);
    expect(await listed(contract.server.stores.inventory)).toHaveLength(stock.length);
  });

  test("PATCH changes only the status, which the history has", async () => {
    const reply = await change("PATCH /v1/catalog/1", { status: "sold" });
    expect(JSON.parse(reply.body)).toMatchObject({ petId: 1, status: "sold" });
    expect((await send("GET /v1/inventory/1")).body).toBe(
      '{"petId":1,"quantity":12,"status":"sold"}',
    );
    expect((await send("GET /v1/pets/1")).body).toBe('{"petId":1,"status":"sold"}');
    const [newest] = (await contract.server.stores.inventory.changes({ limit: 1 }))?.changes ?? [];
    expect(newest).toMatchObject({ petId: 1n, status: PetStatus.SOLD, accountId: ownAccount });
  });

  test("DELETE returns the removed entry", async () => {
    const reply = await change("DELETE /v1/catalog/1");
    expect(JSON.parse(reply.body)).toMatchObject({ petId: 1, status: "available" });
    expect((await send("GET /v1/inventory")).body).not.toContain('"petId":1,');
  });

  test("409 for the removal of a pet with active holds", async () => {
    const items = [{ petId: 1n, quantity: 1 }];
    await contract.server.stores.holds.put(ownAccount, "cart", { items, ttlMs: 60_000 });
    const reply = await change("DELETE /v1/catalog/1");
    expectError(reply, 409, "failed_precondition", "Pet 1".toLowerCase(), "PET_HELD");
  });

  test("404 for an unknown pet", async () => {
    const path = `/v1/catalog/${unknownPet}`;
    const patched = await change(`PATCH ${path}`, { status: "sold" });
    expectError(patched, 404, "not_found", String(unknownPet));
    expectError(await change(`DELETE ${path}`), 404, "not_found", String(unknownPet));
  });

  test("POST stores a name and an SKU, which reads return", async () => {
    const body = { petId: 3, name: "Löwe 🦁 “Rex”", sku: "CAT 3/a", status: "pending" };
    const added = await change("POST /v1/catalog", { ...body, quantity: 1 });
    expect(JSON.parse(added.body)).toEqual(body);
    expect(JSON.parse((await send("GET /v1/catalog/3")).body)).toEqual(body);
    expect(JSON.parse((await send(list)).body)).toContainEqual(body);
    expect(JSON.parse((await send(`${list}?pageSize=1000`)).body)).toContainEqual(body);
    expect((await send("GET /v1/inventory/3")).body).toBe(
      '{"petId":3,"quantity":1,"status":"pending"}',
    );
  });

  test("PATCH changes what it names, and an empty text removes", async () => {
    const patch = async (body: object) => JSON.parse((await change(`${path}/1`, body)).body);
    const path = "PATCH /v1/catalog";
    const named = { petId: 1, name: "Rex", sku: "DOG-1", status: "available" };
    expect(await patch({ name: "Rex", sku: "DOG-1" })).toEqual(named);
    expect(await patch({ name: "Max" })).toEqual({ ...named, name: "Max" });
    expect(await patch({ sku: "" })).toEqual({ ...named, name: "Max", sku: "" });
    expect(await patch({ name: "", status: "sold" })).toEqual({
      ...{ petId: 1, name: "", sku: "", status: "sold" },
    });
  });

  test("400 for a PATCH of nothing", async () => {
    expectError(await change("PATCH /v1/catalog/1", {}), 400, "invalid_argument", "name");
  });

  const tooLong = "x".repeat(201);
  test.each<[field: string, text: string]>([
    ["name", tooLong],
    ["name", " Rex"],
    ["name", "Rex\u3000"],
    ["name", "Rex\n"],
    ["name", "Re\u202ex"],
    ["name", "\u2066Rex"],
    ["name", "Re\u0085x"],
    ["name", "Re\ud800x"],
    ["sku", "x".repeat(65)],
    ["sku", "A "],
    ["sku", "Ä"],
    ["sku", "A\tB"],
  ])("400 names the field of a malformed %s: %j", async (field, text) => {
    for (const line of ["POST /v1/catalog", "PATCH /v1/catalog/1"]) {
      const body = line.startsWith("POST") ? { petId: 3, [field]: text } : { [field]: text };
      expectError(await change(line, body), 400, "invalid_argument", field);
    }
  });

  test("the longest name and SKU are kept as sent", async () => {
    // A character of two UTF-16 units, and an emoji of several code points with joiners.
    const name = `${"🐶".repeat(193)}👩‍👩‍👧‍👦`;
    const sku = `~${"a b".repeat(20)}xyz`;
    await change("PATCH /v1/catalog/1", { name, sku });
    const reply = await send(`${list}?sku=${encodeURIComponent(sku)}`);
    expect(JSON.parse(reply.body)).toEqual([{ petId: 1, name, sku, status: "available" }]);
  });

  test("409 SKU_TAKEN names the other pet, and nothing changes", async () => {
    await change("PATCH /v1/catalog/1", { sku: "DOG-1" });
    const before = (await send(list)).body;
    const stored = await listed(contract.server.stores.inventory);
    for (const reply of [
      await change("POST /v1/catalog", { petId: 3, sku: "DOG-1" }),
      await change("PATCH /v1/catalog/2", { sku: "DOG-1", name: "Mia", status: "available" }),
    ]) {
      expectError(reply, 409, "already_exists", "pet 1 has the SKU", "SKU_TAKEN");
    }
    expect((await send(list)).body).toBe(before);
    expect(await listed(contract.server.stores.inventory)).toEqual(stored);
    // SKUs compare by bytes.
    expect((await change("PATCH /v1/catalog/2", { sku: "dog-1" })).status).toBe(200);
  });

  test("the name and SKU of a removed pet are free again", async () => {
    await change("PATCH /v1/catalog/1", { name: "Rex", sku: "DOG-1" });
    expect(JSON.parse((await change("DELETE /v1/catalog/1")).body)).toMatchObject({
      ...{ name: "Rex", sku: "DOG-1" },
    });
    expect((await change("POST /v1/catalog", { petId: 3, sku: "DOG-1" })).status).toBe(200);
  });

  test("filters by sku and petIds must all hold", async () => {
    await change("PATCH /v1/catalog/1", { sku: "DOG-1" });
    await change("PATCH /v1/catalog/2", { sku: "DOG-2" });
    const found = async (query: string) =>
      (JSON.parse((await send(`${list}?${query}`)).body) as { petId: number }[]).map(
        ({ petId }) => petId,
      );
    expect(await found("sku=DOG-2&sku=DOG-1&sku=none")).toEqual([1, 2]);
    expect(await found(`petIds=2&petIds=${unknownPet}`)).toEqual([2]);
    expect(await found("sku=DOG-1&petIds=2")).toEqual([]);
    expect(await found("sku=DOG-1&sku=DOG-2&petIds=2")).toEqual([2]);
    const first = await send(`${list}?sku=DOG-1&sku=DOG-2&pageSize=1`);
    const [, next = ""] = /<([^>]+)>; rel="next"/.exec(String(first.headers.link)) ?? [];
    const second = await send(`GET ${next}`);
    expect(JSON.parse(second.body)).toMatchObject([{ petId: 2 }]);
    expect(second.headers.link).toBeUndefined();
  });

  test.each([
    ["sku=1&sku=2", "sku=1"],
    ["sku=1&sku=2", "sku=1&petIds=2"],
    ["petIds=1&petIds=2", "petIds=2"],
    ["petIds=1&petIds=2", ""],
    ["", "petIds=2"],
  ])("400 for a page token of %s with %s", async (filter, other) => {
    await change("PATCH /v1/catalog/1", { sku: "1" });
    await change("PATCH /v1/catalog/2", { sku: "2" });
    const first = await send(`${list}?${filter}&pageSize=1`);
    const [, token = ""] = /pageToken=([^&>]+)/.exec(String(first.headers.link)) ?? [];
    expect((await send(`${list}?${filter}&pageSize=1&pageToken=${token}`)).status).toBe(200);
    const mixed = await send(`${list}?${other}&pageSize=1&pageToken=${token}`);
    expectError(mixed, 400, "invalid_argument", "pageToken");
  });

  test.each([
    ["sku=", "sku"],
    ["sku=A&sku=A", "sku"],
    ["sku=A%20", "sku"],
    ["petIds=1&petIds=1", "petIds"],
    ["petIds=0", "petIds"],
    [Array.from({ length: 101 }, (_, at) => `sku=${at}`).join("&"), "sku"],
  ])("400 for the filter %s", async (query, field) => {
    expectError(await send(`${list}?${query}`), 400, "invalid_argument", field);
  });

  test("changes of quantities leave the entity tag alone", async () => {
    const etag = String((await send(list)).headers.etag);
    await contract.server.stores.inventory.change({ petId: 1n, delta: 1 });
    expect((await send(list, { headers: { "if-none-match": etag } })).status).toBe(304);
    await change("PATCH /v1/catalog/1", { name: "Rex" });
    expect((await send(list, { headers: { "if-none-match": etag } })).status).toBe(200);
  });

  test("changes need the scope catalog:write, which a key lacks unless it is named", async () => {
    const authorization = bearer(await contract.newKey());
    for (const [line, body] of [
      ["POST /v1/catalog", '{"petId":3}'],
      ["PATCH /v1/catalog/1", '{"status":"sold"}'],
      ["DELETE /v1/catalog/1", undefined],
    ] as const) {
      const reply = await send(line, { authorization, ...(body !== undefined && { body }) });
      expectError(reply, 403, "permission_denied", "catalog:write");
    }
    expect(await listed(contract.server.stores.inventory)).toEqual(stock);
  });

  test("RPC has the same methods", async () => {
    const { catalog, key } = await operator(contract);
    const petId = 9_007_199_254_740_993n;
    const { entry } = await catalog.createPet({ petId: 3n });
    expect(entry).toMatchObject({ petId: 3n, status: PetStatus.AVAILABLE });
    const { entries, version } = await catalog.listPets({});
    expect(entries.map((each) => each.petId)).toContain(petId);
    expect(await catalog.getPet({ petId })).toMatchObject({ entry: { petId }, version });
    await catalog.updatePet({ petId, status: PetStatus.PENDING });
    const { entry: removed } = await catalog.removePet({ petId });
    expect(removed).toMatchObject({ petId, status: PetStatus.PENDING });
    const error = await failure(catalog.getPet({ petId }));
    expect(error.code).toBe(Code.NotFound);
    const method = "catalog.v1.CatalogService/CreatePet";
    const reply = await contract.call(method, {}, { authorization: bearer(key) });
    expectConnectError(reply, "invalid_argument", "pet_id");
    expect(CatalogService.methods).toHaveLength(6);
  });
});
