import { describe, expect, it } from "vitest";
import { listed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { describeCommonCases } from "./common-cases.ts";
import { bearer, expectError, stock, unknownPet, useContract } from "./support.ts";

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

    it("200 for a repeated request", async () => {
      const first = await contract.send(line, { body: five });
      const second = await contract.send(line, { body: five });
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.body).toBe(first.body);
    });

    it("200 for a petId above 2^53; the next petId does not change", async () => {
      const [, , { petId, status }] = stock as readonly [object, object, (typeof stock)[0]];
      await contract.server.stores.inventory.put([{ petId: petId - 1n, quantity: 1, status }]);
      const reply = await contract.send(`PATCH /v1/inventory/${petId}`, { body: five });
      expect(reply.body).toBe('{"petId":9007199254740993,"quantity":5,"status":"pending"}');
      expect(await quantityOf(petId - 1n)).toBe(1);
    });

    it("200 for the largest petId", async () => {
      const petId = 9_223_372_036_854_775_807n;
      await contract.server.stores.inventory.put([{ petId, quantity: 1, status: 1 }]);
      const reply = await contract.send(`PATCH /v1/inventory/${petId}`, { body: five });
      expect(reply.body).toBe('{"petId":9223372036854775807,"quantity":5,"status":"available"}');
    });

    it("200 when the petId is percent-encoded", async () => {
      const reply = await contract.send("PATCH /v1/inventory/%31", { body: five });
      expect(reply).toMatchObject({ status: 200 });
      expect(await quantityOf(1n)).toBe(5);
    });

    it.each([
      ['{"quantity":0}', 0],
      ['{"quantity":-0}', 0],
      ['{"quantity":5.0}', 5],
      ['{"quantity":5.000000000000000000000000000000}', 5],
      ['{"quantity":5e0}', 5],
      ['{"quantity":5E+0}', 5],
      ['{"quantity":50e-1}', 5],
      ['{"quantity":0.5e1}', 5],
      ['{"quantity":0e400}', 0],
      ['{"quantity":2147483647}', 2_147_483_647],
      ['{"quantity":2147483647.0}', 2_147_483_647],
      ['{"quantity":2.147483647e9}', 2_147_483_647],
      [' \t\r\n{ "quantity" : 5 } \t\r\n', 5],
      ['{"\\u0071uantity":5}', 5],
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
      "Application/JSON",
      "application/json;charset=utf-8",
      'application/json ; charset="UTF-8"',
      "application/json; profile=x",
      "application/merge-patch+json",
      "application/merge-patch+json; charset=utf-8",
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
      ["has the quantity as an empty string", '{"quantity":""}', "quantity"],
      ["has a fraction", '{"quantity":5.5}', "quantity"],
      ["has a very small fraction", '{"quantity":5.0000000000000000000000001}', "quantity"],
      ["has a fraction by its exponent", '{"quantity":5e-1}', "quantity"],
      ["has a negative quantity", '{"quantity":-1}', "quantity"],
      ["has null for the quantity", '{"quantity":null}', "quantity"],
      ["has true for the quantity", '{"quantity":true}', "quantity"],
      ["has false for the quantity", '{"quantity":false}', "quantity"],
      ["has an object for the quantity", '{"quantity":{}}', "quantity"],
      ["has an array for the quantity", '{"quantity":[5]}', "quantity"],
      ["has more than an int32", '{"quantity":2147483648}', "quantity"],
      ["has more than an int32 by its exponent", '{"quantity":1e10}', "quantity"],
      ["has more than an int64", '{"quantity":9223372036854775808}', "quantity"],
      ["has more than a double", '{"quantity":1e400}', "quantity"],
      ["has an endless exponent", `{"quantity":1e${"9".repeat(400)}}`, "quantity"],
      ["has a thousand digits", `{"quantity":${"9".repeat(1000)}}`, "quantity"],
      ["has less than an int32", '{"quantity":-2147483649}', "quantity"],
      [
        "has a quantity of 4294967301, which is 5 in 32 bits",
        '{"quantity":4294967301}',
        "quantity",
      ],
      ["has an unknown member", '{"quantity":5,"colour":"red"}', "colour"],
      ["has an unknown member alone", '{"amount":5}', "amount"],
      ["has an unknown member with null", '{"quantity":5,"colour":null}', "colour"],
      ["has the petId", '{"quantity":5,"petId":1}', "petId"],
      ["has the status", '{"quantity":5,"status":"sold"}', "status"],
      ["has the name in another case", '{"Quantity":5}', "Quantity"],
      ["has the quantity twice", '{"quantity":1,"quantity":2}', "quantity"],
      ["has the same quantity twice", '{"quantity":5,"quantity":5}', "quantity"],
      ["has the quantity in two spellings", '{"quantity":1,"\\u0071uantity":2}', "quantity"],
      ["has __proto__", '{"quantity":5,"__proto__":{}}', "__proto__"],
      ["has the quantity in __proto__", '{"__proto__":{"quantity":5}}', "__proto__"],
      ["has constructor", '{"quantity":5,"constructor":1}', "constructor"],
      ["has a name with NUL", '{"quantity\\u0000":5}', "quantity"],
      ["is wrapped", '{"update":{"quantity":5}}', "update"],
    ])("400 when it %s", async (_, body, name) => {
      expectError(await contract.send(line, { body }), 400, "invalid_argument", name);
      expect(await quantityOf(1n)).toBe(12);
    });

    it.each([
      ["is empty", ""],
      ["is an array", "[]"],
      ["is an array of updates", `[${five}]`],
      ["is null", "null"],
      ["is a number", "5"],
      ["is a string", '"quantity"'],
      ["is white space", " \n"],
      ["ends early", '{"quantity":5'],
      ["has text after its end", `${five}}`],
      ["is two documents", `${five}${five}`],
      ["has a trailing comma", '{"quantity":5,}'],
      ["has a comment", '{"quantity":5/* five */}'],
      ["has names without quotes", "{quantity:5}"],
      ["has single quotes", "{'quantity':5}"],
      ["has NaN", '{"quantity":NaN}'],
      ["has Infinity", '{"quantity":Infinity}'],
      ["has a leading zero", '{"quantity":05}'],
      ["has a plus sign", '{"quantity":+5}'],
      ["has a number that starts with a point", '{"quantity":.5}'],
      ["has a number that ends with a point", '{"quantity":5.}'],
      ["has hexadecimal digits", '{"quantity":0x5}'],
      ["has NUL after its end", `${five}\0`],
      ["has NUL at its start", `\0${five}`],
      ["has a control character in a string", '{"quantity":5,"a\nb":1}'],
      ["is a form", "quantity=5"],
      ["nests arrays deeply", "[".repeat(30_000)],
      ["nests objects deeply", '{"quantity":'.repeat(5_000)],
      [
        "nests arrays deeply in an unknown member",
        `{"a":${"[".repeat(9_000)}${"]".repeat(9_000)}}`,
      ],
      ["nests arrays deeply in the quantity", `{"quantity":${"[".repeat(60_000)}`],
      ["is not UTF-8", bytes('{"quantity":5,"\xff":1}')],
      ["has an overlong encoding", bytes('{"quantity":5,"\xc0\xaf":1}')],
      ["has an encoded surrogate", bytes('{"quantity":5,"\xed\xa0\x80":1}')],
      ["ends within a character", bytes(`${five}\xe2\x82`)],
      ["is UTF-16", Buffer.from(five, "utf16le")],
      ["has a lone surrogate", '{"quantity":5,"\\ud800":1}'],
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
      "-0",
      "-1",
      "01",
      "+1",
      "%2B1",
      "abc",
      "1a",
      "1.0",
      "1e0",
      "0x1",
      "1_000",
      "%201",
      "1%20",
      "1+",
      "9223372036854775808",
      "18446744073709551617",
      "9".repeat(1_000),
      "null",
      "%00",
      "1%00",
      "%C0%AF",
      "%C0%B1",
      "%ED%A0%80",
      "%FF",
      "%zz",
      "%",
      "1%3",
      "1%2F2",
      "%EF%BC%91",
      "%D9%A1",
      "1;v=1",
      "1,2",
      "*",
      "..;",
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

    it.each([false, true])("413 when the body is far larger, chunked: %s", async (chunked) => {
      const reply = await contract.send(line, { body: padded(8 * 1024 * 1024), chunked });
      expectError(reply, 413, "payload_too_large");
    });
  });

  describe("415", () => {
    it.each([
      "text/plain",
      "text/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json-patch+json",
      "application/vnd.api+json",
      "application/jsonp",
      "application/octet-stream",
      "application/proto",
      "application/connect+json",
      "application/grpc",
      "application/grpc-web+proto",
      "json",
      "*/*",
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

  it("a rejected request changes nothing", async () => {
    const key = await contract.newKey({ scopes: ["inventory:read"] });
    await contract.send(line, { authorization: null, body: five });
    await contract.send(line, { authorization: bearer(key), body: five });
    await contract.spend(60);
    await contract.send(line, { body: five });
    expect(await quantityOf(1n)).toBe(12);
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
