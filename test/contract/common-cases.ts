import { describe, expect, it } from "vitest";
import { type Scope, scopes } from "../../src/access/scopes.ts";
import { someKey } from "../support/accounts.ts";
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
} from "./support.ts";

/** An operation of the HTTP interface, with a valid request. */
export interface Operation {
  /** Such as `GET /v1/inventory`. */
  readonly line: string;
  /** Returns the path to request instead of the one in `line`, which is then a template. */
  readonly target?: () => string;
  readonly parts?: Parts;
  /** Undefined if every valid key may call the operation. */
  readonly scope?: Scope;
  /** Methods that the path supports. */
  readonly allow: readonly string[];
  /** Methods that the path does not support. */
  readonly refused: readonly string[];
  /** Similar paths that do not exist. */
  readonly nowhere: readonly string[];
}

const challenge = 'Bearer realm="inventory"';
const invalidToken = `${challenge}, error="invalid_token"`;

/** Replaces the last character of a key with another valid one. */
function mistyped(secret: string): string {
  return secret.slice(0, -1) + (secret.endsWith("0") ? "1" : "0");
}

/** Test cases for every operation of the HTTP interface. */
export function describeCommonCases(contract: Contract, operation: Operation): void {
  const { line, parts, scope, allow, refused, nowhere } = operation;
  const [method = "", path = ""] = line.split(" ");
  const target = operation.target ?? (() => path);
  const request = (more: Parts = {}) =>
    contract.send(`${method} ${target()}`, { ...parts, ...more });

  describe("401", () => {
    const unsent: readonly (readonly [string, (secret: string) => string | null])[] = [
      ["no key was sent", () => null],
      ["the Authorization field is empty", () => ""],
      ["the scheme is another one", (secret) => `Basic ${secret}`],
      ["the key was sent without a scheme", (secret) => secret],
      ["there is nothing after the scheme", () => "Bearer "],
    ];
    it.each(unsent)("401 when %s", async (_, authorization) => {
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
    it.each(malformed)("401 when the key %s", async (_, secretOf) => {
      const secret = secretOf(contract.own.secret);
      const reply = await request({ authorization: `Bearer ${secret}` });
      expectError(reply, 401, "unauthenticated", "API key");
      expect(reply.headers["www-authenticate"]).toBe(invalidToken);
      expect(reply.body).not.toContain(secret);
    });

    it("401 when the key was revoked", async () => {
      await contract.server.stores.accounts.revokeKey(contract.own.keyId);
      const reply = await request();
      expectError(reply, 401, "unauthenticated", "revoked");
      expect(reply.headers["www-authenticate"]).toBe(invalidToken);
    });

    it("401 when the key has expired", async () => {
      const { clock } = contract.server;
      const key = await contract.newKey({ expiresAt: clock.now + 60_000 });
      clock.now += 60_000;
      const reply = await request({ authorization: bearer(key) });
      expectError(reply, 401, "unauthenticated", "expired");
      expect(reply.headers["www-authenticate"]).toBe(invalidToken);
    });
  });

  it.each(["bearer", "BEARER", "Bearer "])(
    "200 when the authorization scheme is %j",
    async (scheme) => {
      const reply = await request({ authorization: `${scheme} ${contract.own.secret}` });
      expect(reply.status).toBe(200);
    },
  );

  it.runIf(scope)(`403 when the key lacks only the scope ${scope}`, async () => {
    const key = await contract.newKey({
      scopes: scopes.filter((each) => each !== scope && each !== "admin"),
    });
    const reply = await request({ authorization: bearer(key) });
    expectError(reply, 403, "permission_denied", scope);
    expect(reply.headers).not.toHaveProperty("www-authenticate");
  });

  it.each(scope ? [scope] : scopes)("200 when the key has only the scope %s", async (only) => {
    const key = await contract.newKey({ scopes: [only] });
    expect((await request({ authorization: bearer(key) })).status).toBe(200);
  });

  it.each(nowhere)("404 when the path is %s", async (other) => {
    const reply = await contract.send(`${method} ${other}`, parts);
    expectError(reply, 404, "not_found");
    expect(reply.headers).not.toHaveProperty("allow");
  });

  it.each(refused)(`405 with Allow when the method is %s on ${path}`, async (other) => {
    const reply = await contract.send(`${other} ${target()}`);
    if (other === "HEAD") {
      expect(reply).toMatchObject({ status: 405, body: "" });
    } else {
      expectError(reply, 405, "method_not_allowed");
    }
    expect(allowed(reply)).toEqual(allow);
  });

  describe("OPTIONS", () => {
    it("204 with Allow", async () => {
      const reply = await contract.send(`OPTIONS ${target()}`);
      expect(reply).toMatchObject({ status: 204, body: "" });
      expect(allowed(reply)).toEqual(allow);
      expect(limitFieldsOf(reply)).toEqual(limitFields(freeAfter(1)));
    });

    it("401 when no key was sent", async () => {
      const reply = await contract.send(`OPTIONS ${target()}`, { authorization: null });
      expectError(reply, 401, "unauthenticated");
    });

    it("429 when the limit is reached", async () => {
      await contract.spend(60);
      expectError(await contract.send(`OPTIONS ${target()}`), 429, "resource_exhausted");
    });
  });

  describe("429", () => {
    it("429 when the minute limit is reached, until Retry-After has passed", async () => {
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

    it("429 when the key is banned, until Retry-After has passed", async () => {
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

/** Test cases for operations without parameters and body. */
export function describeBareCases(contract: Contract, line: string): void {
  const [, path = ""] = line.split(" ");

  it.each([
    ["?limit=5", "limit"],
    ["?limit", "limit"],
    ["?pageSize=", "pageSize"],
    ["?a=1&b=2", "a"],
    ["?__proto__=1", "__proto__"],
    ["?constructor=1", "constructor"],
    ["?quantity=5", "quantity"],
    ["?%71uantity=5", "quantity"],
    ["?=5", "query parameter"],
  ])("400 when the query is %s", async (query, name) => {
    expectError(await contract.send(`GET ${path}${query}`), 400, "invalid_argument", name);
  });

  it.each(["?%zz=1", "?%=1", "?a%C0%AF=1"])(
    "400 when the query is malformed: %s",
    async (query) => {
      expectError(await contract.send(`GET ${path}${query}`), 400, "invalid_argument");
    },
  );

  it("200 when the query is empty", async () => {
    expect((await contract.send(`GET ${path}?`)).status).toBe(200);
  });

  it.each([false, true])("400 when there is a body, chunked: %s", async (chunked) => {
    const headers = { "content-type": "application/json" };
    const reply = await contract.send(`GET ${path}`, { headers, body: "{}", chunked });
    expectError(reply, 400, "invalid_argument", "body");
  });

  describe("HEAD", () => {
    it("200 with the headers of GET and no body", async () => {
      const get = await contract.send(`GET ${path}`);
      const head = await contract.send(`HEAD ${path}`);
      expect(head).toMatchObject({ status: 200, body: "" });
      expect(head.headers["content-type"]).toBe("application/json");
      expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(get.body)));
      expect(limitFieldsOf(head)).toEqual(limitFields(freeAfter(2)));
    });

    it("401 without a body when no key was sent", async () => {
      const reply = await contract.send(`HEAD ${path}`, { authorization: null });
      expect(reply).toMatchObject({ status: 401, body: "" });
      expect(reply.headers["www-authenticate"]).toBe(challenge);
      expect(reply.headers["content-type"]).toBe("application/json");
    });
  });
}
