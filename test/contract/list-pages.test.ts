import { describe, expect, it } from "vitest";
import { nthVersion, storeKinds } from "../support/stores.ts";
import { expectError, type Reply, useContract } from "./support.ts";

const line = "GET /v1/inventory";

describe.each(storeKinds)("pages of the list in $name", (kind) => {
  const contract = useContract(kind);

  it("200 with so many pets, and a link to the next page that repeats the query", async () => {
    const first = await contract.send(`${line}?readMask=quantity&pageSize=2`);
    expect(first.body).toBe('[{"petId":1,"quantity":12},{"petId":2,"quantity":0}]');
    const [, target] = /^<(.*)>; rel="next"$/.exec(String(first.headers.link)) ?? [];
    expect(target).toMatch(/^\/v1\/inventory\?readMask=quantity&pageSize=2&pageToken=[\w-]+$/);
    const second: Reply = await contract.send(`GET ${target}`);
    expect(second.body).toBe('[{"petId":9007199254740993,"quantity":7}]');
    expect(second.headers).not.toHaveProperty("link");
  });

  it("no link when the page ends with the last pet", async () => {
    const reply = await contract.send(`${line}?pageSize=3`);
    expect(JSON.parse(reply.body)).toHaveLength(3);
    expect(reply.headers).not.toHaveProperty("link");
  });

  it.each([
    ["quantity", '{"petId":1,"quantity":12}'],
    ["status", '{"petId":1,"status":"available"}'],
    ["status,quantity", '{"petId":1,"quantity":12,"status":"available"}'],
    ["petId", '{"petId":1}'],
  ])("200 with the fields of the mask %s", async (mask, pet) => {
    const { body } = await contract.send(`${line}?readMask=${mask}`);
    expect(body.startsWith(`[${pet},`)).toBe(true);
  });

  it.each([
    ["pageSize=0", "pageSize"],
    ["pageSize=1001", "pageSize"],
    ["pageSize=", "pageSize"],
    ["pageToken=MQ", "pageToken"],
    ["pageToken=dmVyc2lvbiAx", "pageToken"],
    ["readMask=colour", "readMask"],
    ["readMask=quantity.x", "readMask"],
  ])("400 when the query is %s", async (query, name) => {
    expectError(await contract.send(`${line}?${query}`), 400, "invalid_argument", name);
  });

  it("pages on RPC name the next and the version of the stock", async () => {
    const list = "inventory.v1.InventoryService/ListInventory";
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
