import type { DescMethod } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "vitest";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { scope as scopeOption } from "../../gen/rules/v1/rules_pb.ts";
import { optionOf } from "../../packages/connect-gateway/src/call/option.ts";
import { type Scope, scopes } from "../../src/access/scopes.ts";
import { someKey } from "../support/accounts.ts";
import { addSampleData, httpRequestOf, methods, otherScopesOf } from "../support/operations.ts";
import { listed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import {
  allowed,
  bearer,
  type Contract,
  expectError,
  freeAfter,
  limitFields,
  limitFieldsOf,
  ownAccount,
  type Parts,
  useContract,
} from "./support.ts";

/** The methods with a path, which are the operations of JSON over HTTP. */
const operations = methods.filter((method) => pathOf(method) !== undefined);

/** Returns the path of a method, such as `/v1/inventory/{pet_id}`; undefined if it has none. */
function pathOf(method: DescMethod): string | undefined {
  const { case: verb, value } = optionOf(method, http)?.pattern ?? {};
  return verb && String(value);
}

/** Returns the HTTP methods that the path of a method supports. */
function allowedAt(path: string | undefined): readonly string[] {
  const verbs = operations
    .filter((each) => pathOf(each) === path)
    .map((each) => String(optionOf(each, http).pattern.case).toUpperCase());
  return ["OPTIONS", ...verbs, ...(verbs.includes("GET") ? ["HEAD"] : [])].sort();
}

const challenge = 'Bearer realm="inventory"';
const invalidToken = `${challenge}, error="invalid_token"`;

/** Replaces the last character of a key with another valid one. */
function mistyped(secret: string): string {
  return secret.slice(0, -1) + (secret.endsWith("0") ? "1" : "0");
}

/** Test cases for every operation of the HTTP interface. */
function describeCommonCases(contract: Contract, operation: DescMethod): void {
  const scope = otherScopesOf(operation) && (optionOf(operation, scopeOption) as Scope);
  const allow = allowedAt(pathOf(operation));
  const refused = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"].filter(
    (verb) => !allow.includes(verb),
  );
  let method = "";
  let target = "";
  let parts: Parts = {};
  beforeEach(async () => {
    const { stores } = contract.server;
    const data = await addSampleData(stores, operation, undefined, ownAccount);
    const { line = "", body } = httpRequestOf(operation, data) ?? {};
    [method = "", target = ""] = line.split(" ");
    parts = body === undefined ? { isEndless: target.endsWith(":watch") } : { body };
  });
  const request = (more: Parts = {}) => contract.send(`${method} ${target}`, { ...parts, ...more });
  const bare = () => target.replace(/\?.*/, "");

  describe("401", () => {
    const unsent: readonly (readonly [string, (secret: string) => string | null])[] = [
      ["no key was sent", () => null],
      ["the Authorization field is empty", () => ""],
      ["the scheme is another one", (secret) => `Basic ${secret}`],
      ["the key was sent without a scheme", (secret) => secret],
      ["there is nothing after the scheme", () => "Bearer "],
    ];
    test.each(unsent)("401 when %s", async (_, authorization) => {
      const reply = await request({ authorization: authorization(contract.own.secret) });
      expectError(reply, 401, "unauthenticated", "Authorization");
      expect(reply.headers["www-authenticate"]).toBe(challenge);
      expect(reply.body).not.toContain(contract.own.secret);
    });

    const malformed: readonly (readonly [string, (secret: string) => string])[] = [
      ["was mistyped", mistyped],
      ["was cut off", (secret) => secret.slice(0, -1)],
      ["is in capitals", (secret) => secret.toUpperCase()],
      ["is that of another service", () => "sk_live_0123456789abcdefghijklmn"],
      ["was never made", () => someKey(ownAccount).secret],
      ["names an account that does not exist", () => someKey("zzzzzzzzzzzz").secret],
    ];
    test.each(malformed)("401 when the key %s", async (_, secretOf) => {
      const secret = secretOf(contract.own.secret);
      const reply = await request({ authorization: `Bearer ${secret}` });
      expectError(reply, 401, "unauthenticated", "API key");
      expect(reply.headers["www-authenticate"]).toBe(invalidToken);
      expect(reply.body).not.toContain(secret);
    });

    test("401 when the key was revoked", async () => {
      await contract.server.stores.accounts.revokeKey(contract.own.keyId);
      const reply = await request();
      expectError(reply, 401, "unauthenticated", "revoked");
      expect(reply.headers["www-authenticate"]).toBe(invalidToken);
    });

    test("401 when the key has expired", async () => {
      const { clock } = contract.server;
      const key = await contract.newKey({ expiresAt: clock.now + 60_000 });
      clock.now += 60_000;
      const reply = await request({ authorization: bearer(key) });
      expectError(reply, 401, "unauthenticated", "expired");
      expect(reply.headers["www-authenticate"]).toBe(invalidToken);
    });
  });

  test.each(["bearer", "BEARER", "Bearer "])(
    "200 when the authorization scheme is %j",
    async (scheme) => {
      const reply = await request({ authorization: `${scheme} ${contract.own.secret}` });
      expect(reply.status).toBe(200);
    },
  );

  test.runIf(scope)(`403 when the key lacks only the scope ${scope}`, async () => {
    const key = await contract.newKey({
      scopes: scopes.filter((each) => each !== scope && each !== "admin"),
    });
    const reply = await request({ authorization: bearer(key) });
    expectError(reply, 403, "permission_denied", scope);
    expect(reply.headers).not.toHaveProperty("www-authenticate");
  });

  test.each(scope ? [scope] : scopes)("200 when the key has only the scope %s", async (only) => {
    const key = await contract.newKey({ scopes: [only] });
    expect((await request({ authorization: bearer(key) })).status).toBe(200);
  });

  test("404 for paths that are similar to its own", async () => {
    const similar = [
      `${bare()}/`,
      `${bare()}/a/b`,
      `/${bare()}`,
      ...["/v1//", "/", "/v2/", "/V1/"].map((start) => bare().replace("/v1/", start)),
      bare().replace(/(?<=\/v1\/)./, (letter) => letter.toUpperCase()),
    ];
    for (const path of similar) {
      const reply = await contract.send(`${method} ${path}`, parts);
      expect([path, reply.status]).toEqual([path, 404]);
      expectError(reply, 404, "not_found");
      expect(reply.headers).not.toHaveProperty("allow");
    }
  });

  const [, inPath = ""] = /\{(pet|order)_id\}/.exec(pathOf(operation) ?? "") ?? [];
  test.runIf(inPath)("400 for an invalid id in the path, and 404 for an unknown one", async () => {
    const invalid = ["0", "-1", "01", "one", "1.5", "9223372036854775808", "9".repeat(1_000)];
    const encoded = ["1%00", "%C0%AF", "%zz", "1%2F2", "1;v=1"];
    const send = (id: string) => {
      const path = bare().replace(/(?<=\/)\d+/, id);
      return contract.send(`${method} ${path}`, parts);
    };
    const { inventory } = contract.server.stores;
    const before = await listed(inventory);
    for (const id of [...invalid, ...encoded]) {
      const reply = await send(id);
      expect([id, reply.status]).toEqual([id, 400]);
      expectError(reply, 400, "invalid_argument", `${inPath}Id`);
    }
    for (const id of ["3", "9007199254740992", "9007199254740994", "9223372036854775807"]) {
      const reply = await send(id);
      expect([id, reply.status]).toEqual([id, 404]);
      expectError(reply, 404, "not_found", id);
    }
    expect(await listed(inventory)).toEqual(before);
  });

  test.each(refused)("405 with Allow when the method is %s", async (other) => {
    const reply = await contract.send(`${other} ${bare()}`);
    if (other === "HEAD") {
      expect(reply).toMatchObject({ status: 405, body: "" });
    } else {
      expectError(reply, 405, "method_not_allowed");
    }
    expect(allowed(reply)).toEqual(allow);
  });

  describe("OPTIONS", () => {
    test("204 with Allow", async () => {
      const reply = await contract.send(`OPTIONS ${bare()}`);
      expect(reply).toMatchObject({ status: 204, body: "" });
      expect(allowed(reply)).toEqual(allow);
      expect(limitFieldsOf(reply)).toEqual(limitFields(freeAfter(1)));
    });

    test("401 when no key was sent", async () => {
      const reply = await contract.send(`OPTIONS ${bare()}`, { authorization: null });
      expectError(reply, 401, "unauthenticated");
    });

    test("429 when the limit is reached", async () => {
      await contract.spend(60);
      expectError(await contract.send(`OPTIONS ${bare()}`), 429, "resource_exhausted");
    });
  });

  describe("429", () => {
    test("429 when the minute limit is reached, until Retry-After has passed", async () => {
      const { clock } = contract.server;
      await contract.spend(60);
      const reply = await request();
      expectError(reply, 429, "resource_exhausted", "61 s");
      expect(reply.headers["retry-after"]).toBe("61");
      clock.now += 60_000;
      expect((await request()).headers["retry-after"]).toBe("1");
      clock.now += 1_000;
      expect((await request()).status).toBe(200);
    });

    test("429 when the key is banned, until Retry-After has passed", async () => {
      const { clock } = contract.server;
      await contract.spend(60);
      clock.now += 20_000;
      await contract.spend(60);
      const last = await request();
      expectError(last, 429, "resource_exhausted", "banned");
      expect(last.headers["retry-after"]).toBe("60");
      clock.now += 59_001;
      expect((await request()).headers["retry-after"]).toBe("1");
      clock.now += 999;
      expect((await request()).status).toBe(200);
    });
  });
}

/** Test cases for operations with GET. */
function describeReads(contract: Contract, operation: DescMethod): void {
  let path = "";
  beforeEach(async () => {
    const { stores } = contract.server;
    const data = await addSampleData(stores, operation, undefined, ownAccount);
    path = httpRequestOf(operation, data)?.line.replace(/^GET |\?.*/g, "") ?? "";
  });

  test("400 for an unknown or malformed query", async () => {
    const queries = [
      ["?limit=5", "limit"],
      ["?limit", "limit"],
      ["?pageSize=", "pageSize"],
      ["?a=1&b=2", "a"],
      ["?__proto__=1", "__proto__"],
      ["?constructor=1", "constructor"],
      ["?quantity=5", "quantity"],
      ["?%71uantity=5", "quantity"],
      ["?=5", "query parameter"],
      ["?%zz=1", ""],
      ["?%=1", ""],
      ["?a%C0%AF=1", ""],
    ];
    for (const [query = "", name = ""] of queries) {
      const reply = await contract.send(`GET ${path}${query}`);
      expect([query, reply.status]).toEqual([query, 400]);
      expectError(reply, 400, "invalid_argument", name);
    }
  });

  test.runIf(operation.input.field.pageToken)("400 for a page that cannot be", async () => {
    const sizes = ["", "0", "1001", "x", "9007199254740993"].map((size) => ["pageSize", size]);
    // Tokens of ids and versions with a leading zero, and of other lists.
    const texts = ["1", "pet 01", "order 02", "version 1", "version 01"];
    const tokens = [
      "x",
      "x".repeat(101),
      ...texts.map((text) => Buffer.from(text).toString("base64url")),
    ];
    for (const [name = "", value] of [...sizes, ...tokens.map((token) => ["pageToken", token])]) {
      const reply = await contract.send(`GET ${path}?${name}=${value}`);
      expect([name, value, reply.status]).toEqual([name, value, 400]);
      expectError(reply, 400, "invalid_argument", name);
    }
  });

  test("200 when the query is empty", async () => {
    expect((await contract.send(`GET ${path}?`)).status).toBe(200);
  });

  test.each([false, true])("400 when there is a body, chunked: %s", async (chunked) => {
    const headers = { "content-type": "application/json" };
    const reply = await contract.send(`GET ${path}`, { headers, body: "{}", chunked });
    expectError(reply, 400, "invalid_argument", "body");
  });

  describe("HEAD", () => {
    test("200 with the headers of GET and no body", async () => {
      const get = await contract.send(`GET ${path}`);
      const head = await contract.send(`HEAD ${path}`);
      expect(head).toMatchObject({ status: 200, body: "" });
      expect(head.headers["content-type"]).toBe("application/json");
      expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(get.body)));
      expect(limitFieldsOf(head)).toEqual(limitFields(freeAfter(2)));
    });

    test("401 without a body when no key was sent", async () => {
      const reply = await contract.send(`HEAD ${path}`, { authorization: null });
      expect(reply).toMatchObject({ status: 401, body: "" });
      expect(reply.headers["www-authenticate"]).toBe(challenge);
      expect(reply.headers["content-type"]).toBe("application/json");
    });
  });
}

// Admission is the same for all operations, so that two show it with every kind of stores.
const shown = new Set(["ListInventory", "UpdateInventory"]);
describe.each(storeKinds)("in $name", (kind) => {
  const some = operations.filter(({ name }) => kind === storeKinds[0] || shown.has(name));
  describe.each(some.map((method) => [method.name, method] as const))("%s", (name, method) => {
    const contract = useContract(kind);
    describeCommonCases(contract, method);
    if (optionOf(method, http).pattern.case === "get" && name !== "WatchInventory") {
      describeReads(contract, method);
    }
  });
});

describe.each(storeKinds.slice(0, 1))("paths that do not exist, in $name", (kind) => {
  const contract = useContract(kind);
  test.each([
    ...["GET /v1", "GET /v2/inventory", "GET /index.html", "GET /v1/inventories", "GET /v1/store"],
    ...["GET /v1/inventory:watches", "GET /v1/inventory:Watch", "GET /v1/inventory/1/changes/1"],
    ...[
      "GET /v1/inventory%2F1",
      "GET /v1/changes",
      "GET /v1/pets",
      "GET /v1/pet/1",
      "GET /v1/pets/1/status",
    ],
    ...["GET /v1/orders", "GET /v1/usage/1", "PUT /v1/store/hold/cart-7"],
    ...["POST /v1/inventory/1/:adjust", "POST /v1/inventory/:adjust/1", "POST /v1/:batchAdjust"],
    ...["POST /v1/inventory:batchadjust", "POST /v1/inventory:batchupdate"],
    ...["POST /v1/store/order", "POST /v1/store/orders:cancel", "POST /v1/store/orders/1/cancel"],
  ])("404: %s", async (line) => {
    expectError(await contract.send(line), 404, "not_found");
  });
});
