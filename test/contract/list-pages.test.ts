import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  InventoryService,
  ListInventoryResponseSchema,
  PetStatus,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { nthVersion } from "../support/stores.ts";
import { describeApi, expectConnectError, expectError, type Reply } from "./support.ts";

const line = "GET /v1/inventory";
const list = "inventory.v1.InventoryService/ListInventory";

describeApi("pages of the list in $name", (contract) => {
  test("200 with pageSize pets and a link to the next page with the same query", async () => {
    const first = await contract.send(`${line}?page_size=2`);
    expect(JSON.parse(first.body)).toMatchObject([{ petId: 1 }, { petId: 2 }]);
    const [, target] = /^<(.*)>; rel="next"$/.exec(String(first.headers.link)) ?? [];
    expect(target).toMatch(/^\/v1\/inventory\?page_size=2&pageToken=[\w-]+$/);
    const second: Reply = await contract.send(`GET ${target}`);
    expect(second.body).toMatch(/^\[\{"petId":9007199254740993,"quantity":7,[^{]*\}\]$/);
    expect(second.headers).not.toHaveProperty("link");
  });

  test("no link on the last page", async () => {
    const reply = await contract.send(`${line}?pageSize=3`);
    expect(JSON.parse(reply.body)).toHaveLength(3);
    expect(reply.headers).not.toHaveProperty("link");
  });

  const status = "PET_STATUS_AVAILABLE";
  test.each([
    ["quantity", { petId: "1", quantity: 12 }],
    ["status", { petId: "1", status }],
    ["status,quantity", { petId: "1", quantity: 12, status }],
    ["petId", { petId: "1" }],
    ["", { petId: "1", quantity: 12, status }],
  ])("items on RPC have the fields of the mask %j", async (mask, pet) => {
    const { body } = await contract.call(list, { readMask: mask, pageSize: 1 });
    expect(JSON.parse(body).items[0]).toEqual(pet);
  });

  test.each(["colour", "quantity.x"])("invalid_argument on RPC for the mask %s", async (mask) => {
    const reply = await contract.call(list, { readMask: mask, pageSize: 1 });
    expectConnectError(reply, "invalid_argument", "read_mask");
  });

  test("invalid_argument on RPC for a mask without a page", async () => {
    const reply = await contract.call(list, { readMask: "quantity" });
    expectConnectError(reply, "invalid_argument", "read_mask: needs page_size");
    expect((await contract.call(list, { readMask: "" })).status).toBe(200);
  });

  test.each([
    ["readMask=quantity", "readMask: unknown query parameter"],
    ["read_mask=", "read_mask: unknown query parameter"],
  ])("400 when the query is %s", async (query, name) => {
    expectError(await contract.send(`${line}?${query}`), 400, "invalid_argument", name);
  });

  test("an item takes at most 20 bytes in binary and 90 in JSON", async () => {
    const petId = 2n ** 63n - 1n;
    const entry = { petId, quantity: 2 ** 31 - 1, status: PetStatus.AVAILABLE };
    await contract.server.stores.catalog.put([entry]);
    const { items } = await contract.client(InventoryService, contract.own).listInventory({});
    const one = create(ListInventoryResponseSchema, { items: items.slice(-1) });
    expect(toBinary(ListInventoryResponseSchema, one).length).toBeLessThanOrEqual(20);
    expect(toJsonString(ListInventoryResponseSchema, one).length).toBeLessThanOrEqual(102);
  });

  test("pages on RPC have next_page_token and the version of the stock", async () => {
    const first = JSON.parse((await contract.call(list, { pageSize: 2 })).body);
    expect(first).toMatchObject({
      items: [{ petId: "1" }, { petId: "2" }],
      version: String(nthVersion(3)),
    });
    const pageToken = first.nextPageToken;
    const second = JSON.parse((await contract.call(list, { pageToken })).body);
    expect(second).toMatchObject({ items: [{ petId: "9007199254740993" }] });
    expect(second).not.toHaveProperty("nextPageToken");
  });
});
