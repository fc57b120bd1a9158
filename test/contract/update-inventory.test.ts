import { describe, expect, it } from "vitest";
import { listed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { describeCommonCases } from "./common-cases.ts";
import { expectError, stock, unknownPet, useContract } from "./support.ts";

const path = "/v1/inventory/1";
const line = `PATCH ${path}`;
const five = '{"quantity":5}';

/** Encodes a text with one byte per character (Latin-1). */
const bytes = (text: string) => Buffer.from(text, "latin1");

describe.each(storeKinds)(`PATCH /v1/inventory/{petId} in $name`, (kind) => {
  const contract = useContract(kind);
  const quantityOf = async (petId: bigint) =>
    (await contract.server.stores.inventory.get(petId))?.quantity;

  describe("200", () => {
    it("200 with the pet; its status does not change", async () => {
      const reply = await contract.send("PATCH /v1/inventory/2", { body: five });
      expect(reply.status).toBe(200);
      expect(reply.headers["content-type"]).toBe("application/json");
      expect(reply.body).toBe('{"petId":2,"quantity":5,"status":"sold"}');
      expect(await quantityOf(2n)).toBe(5);
    });

    it("200 for a petId above 2^53; the next petId does not change", async () => {
      const [, , { petId, status }] = stock as readonly [object, object, (typeof stock)[0]];
      await contract.server.stores.inventory.put([{ petId: petId - 1n, quantity: 1, status }]);
      const reply = await contract.send(`PATCH /v1/inventory/${petId}`, { body: five });
      expect(reply.body).toBe('{"petId":9007199254740993,"quantity":5,"status":"pending"}');
      expect(await quantityOf(petId - 1n)).toBe(1);
    });

    it("200 when the petId is percent-encoded", async () => {
      const reply = await contract.send("PATCH /v1/inventory/%31", { body: five });
      expect(reply).toMatchObject({ status: 200 });
      expect(await quantityOf(1n)).toBe(5);
    });

    it.each([
      ['{"quantity":0}', 0],
      ['{"quantity":5.0}', 5],
      ['{"quantity":5e0}', 5],
      ['{"quantity":2147483647}', 2_147_483_647],
      [' \t\r\n{ "quantity" : 5 } \t\r\n', 5],
    ])("200 when the body is %j", async (body, quantity) => {
      const reply = await contract.send(line, { body });
      expect(reply).toMatchObject({
        status: 200,
        body: `{"petId":1,"quantity":${quantity},"status":"available"}`,
      });
      expect(await quantityOf(1n)).toBe(quantity);
    });

    it.each([
      "application/json",
      "application/json;charset=utf-8",
      "application/merge-patch+json",
      "",
    ])("200 when the media type is %j", async (type) => {
      const reply = await contract.send(line, { body: five, headers: { "content-type": type } });
      expect(reply.status).toBe(200);
    });

    it("200 without a media type", async () => {
      expect((await contract.send(line, { body: five })).status).toBe(200);
    });

    it("200 for a chunked body", async () => {
      expect((await contract.send(line, { body: five, chunked: true })).status).toBe(200);
    });
  });

  describe("400 for the body", () => {
    it.each([
      ["lacks the quantity", "{}", "quantity"],
      ["has the quantity as a string", '{"quantity":"5"}', "quantity"],
      ["has a fraction", '{"quantity":5.5}', "quantity"],
      ["has a negative quantity", '{"quantity":-1}', "quantity"],
      ["has more than an int32", '{"quantity":2147483648}', "quantity"],
      [
        "has a quantity of 4294967301, which is 5 in 32 bits",
        '{"quantity":4294967301}',
        "quantity",
      ],
      ["has an unknown member", '{"quantity":5,"colour":"red"}', "colour"],
      ["has the petId", '{"quantity":5,"petId":1}', "petId"],
      ["has the quantity twice", '{"quantity":1,"quantity":2}', "quantity"],
      ["has the quantity in two spellings", '{"quantity":1,"\\u0071uantity":2}', "quantity"],
      ["has __proto__", '{"quantity":5,"__proto__":{}}', "__proto__"],
      ["is wrapped", '{"update":{"quantity":5}}', "update"],
    ])("400 when it %s", async (_, body, name) => {
      expectError(await contract.send(line, { body }), 400, "invalid_argument", name);
      expect(await quantityOf(1n)).toBe(12);
    });

    it.each([
      ["is empty", ""],
      ["is an array", "[]"],
      ["is null", "null"],
      ["ends early", '{"quantity":5'],
      ["has text after its end", `${five}}`],
      ["nests arrays deeply", "[".repeat(30_000)],
      ["is not UTF-8", bytes('{"quantity":5,"\xff":1}')],
    ])("400 when it %s", async (_, body) => {
      expectError(await contract.send(line, { body }), 400, "invalid_argument");
      expect(await quantityOf(1n)).toBe(12);
    });

    it("400 without a body", async () => {
      expectError(await contract.send(line), 400, "invalid_argument");
    });

    it("400 for an empty chunked body", async () => {
      expectError(await contract.send(line, { body: "", chunked: true }), 400, "invalid_argument");
    });
  });

  it("405 for the path of another operation", async () => {
    const reply = await contract.send("PATCH /v1/inventory/changes", { body: '{"quantity":5}' });
    expectError(reply, 405, "method_not_allowed");
    expect(reply.headers.allow).toBe("GET, HEAD, OPTIONS");
  });

  describe("400 for the path", () => {
    it.each([
      "0",
      "-1",
      "01",
      "abc",
      "9223372036854775808",
      "9".repeat(1_000),
      "1%00",
      "%C0%AF",
      "%zz",
      "1%2F2",
      "1;v=1",
    ])("400 when the petId is %s", async (petId) => {
      const reply = await contract.send(`PATCH /v1/inventory/${petId}`, { body: five });
      expectError(reply, 400, "invalid_argument", "petId");
      expect(await quantityOf(1n)).toBe(12);
    });
  });

  describe("400 for the query", () => {
    it.each([
      ["?dryRun=true", "dryRun"],
      ["?quantity=5", "quantity"],
      ["?update.quantity=5", "quantity"],
      ["?petId=1", "petId"],
      ["?pet_id=2", "pet_id"],
      ["?__proto__=1", "__proto__"],
    ])("400 when the query is %s", async (query, name) => {
      const reply = await contract.send(`${line}${query}`, { body: five });
      expectError(reply, 400, "invalid_argument", name);
      expect(await quantityOf(1n)).toBe(12);
    });

    it("400 when the quantity is in the query and there is no body", async () => {
      expectError(await contract.send(`${line}?quantity=5`), 400, "invalid_argument", "quantity");
      expect(await quantityOf(1n)).toBe(12);
    });
  });

  describe("404", () => {
    it.each([unknownPet, "3", "9007199254740992", "9007199254740994", "9223372036854775807"])(
      "404 for the unknown pet %s",
      async (petId) => {
        const reply = await contract.send(`PATCH /v1/inventory/${petId}`, { body: five });
        expectError(reply, 404, "not_found", String(petId));
        expect(await quantityOf(BigInt(petId))).toBeUndefined();
      },
    );

    it("404 for a removed pet", async () => {
      await contract.server.stores.inventory.remove(1n);
      expectError(await contract.send(line, { body: five }), 404, "not_found", "1");
      expect(await listed(contract.server.stores.inventory)).toHaveLength(stock.length - 1);
    });
  });

  describe("413", () => {
    const limit = 65_536;
    const padded = (length: number) => five + " ".repeat(length - five.length);

    it.each([false, true])(
      "200 when the body is as large as allowed, chunked: %s",
      async (chunked) => {
        expect((await contract.send(line, { body: padded(limit), chunked })).status).toBe(200);
      },
    );

    it.each([false, true])("413 when the body is one byte larger, chunked: %s", async (chunked) => {
      const reply = await contract.send(line, { body: padded(limit + 1), chunked });
      expectError(reply, 413, "payload_too_large", String(limit));
      expect(await quantityOf(1n)).toBe(12);
    });
  });

  describe("415", () => {
    it.each([
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json-patch+json",
      "application/connect+json",
    ])("415 with Accept-Patch when the media type is %s", async (type) => {
      const reply = await contract.send(line, { body: five, headers: { "content-type": type } });
      expectError(reply, 415, "unsupported_media_type", "application/json");
      expect((reply.headers["accept-patch"] as string | undefined)?.split(", ").sort()).toEqual([
        "application/json",
        "application/merge-patch+json",
      ]);
      expect(await quantityOf(1n)).toBe(12);
    });
  });

  describeCommonCases(contract, {
    line,
    parts: { body: five },
    scope: "inventory:write",
    allow: ["GET", "HEAD", "OPTIONS", "PATCH"],
    refused: ["POST", "PUT", "DELETE", "TRACE"],
    nowhere: [
      "/v1/inventory/",
      "/v1/inventory/1/",
      "/v1/inventory//1",
      "/v1/inventory/1/quantity",
      "/v1/Inventory/1",
      "/inventory/1",
      "/v1/inventory/1:adjust/x",
    ],
  });
});

describe.each(storeKinds)("PATCH /v1/inventory/{petId} in $name, MAX_BODY_BYTES set", (kind) => {
  const contract = useContract(kind, { MAX_BODY_BYTES: "2000" });

  it.each([
    [2000, 200],
    [2001, 413],
  ])("%i bytes: %i", async (length, status) => {
    const reply = await contract.send(line, { body: five.padEnd(length) });
    expect(reply.status).toBe(status);
  });
});
