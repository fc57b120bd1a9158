import { once } from "node:events";
import { connect as connectTo } from "node:net";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import {
  noCode,
  type RequestRecord,
} from "../../packages/connect-gateway/src/call/request-record.ts";
import { type CallRecord, callRecordOf } from "../../src/common/call-context.ts";
import { addSampleData, httpRequestOf, keyedMethods } from "../support/operations.ts";
import type { LogLine } from "../support/server.ts";
import { nthVersion, storeKinds } from "../support/stores.ts";
import { startWatch, watchProtocols } from "../support/watch.ts";
import { until } from "../system/harness/until.ts";
import { overHttp1, overHttp2 } from "./http-clients.ts";
import { ownAccount, stock, useContract } from "./support.ts";
import { protocolOf, unaryProtocols } from "./unary-protocols.ts";

const unknownPet = { petId: 99n, update: { quantity: 1 } };

describe.each(storeKinds)("the record of a request in $name", (kind) => {
  const contract = useContract(kind, { ACCESS_LOG: "all" });
  const { server } = contract;
  const bearer = () => `Bearer ${contract.own.secret}`;

  const only = async (): Promise<RequestRecord & CallRecord> => {
    const { records } = server;
    await until("the end of the request", () => records.length > 0);
    expect(records).toHaveLength(1);
    const [record] = records as [RequestRecord];
    return { ...record, ...callRecordOf(record) };
  };

  test("says whether the response is a stored one, in each change that takes an idempotency key", async () => {
    const { records } = server;
    for (const method of keyedMethods) {
      const data = await addSampleData(server.stores, method, undefined, ownAccount);
      const { line = "", body = "" } = httpRequestOf(method, data) ?? {};
      const headers = { "idempotency-key": method.name };
      for (let attempt = 0; attempt < 2; attempt += 1) {
        expect((await contract.send(line, { headers, body })).status).toBe(200);
      }
    }
    expect(keyedMethods.length).toBeGreaterThan(4);
    await until("the end of the requests", () => records.length === 2 * keyedMethods.length);
    expect(records.map((record) => callRecordOf(record).isReplay)).toEqual(
      keyedMethods.flatMap(() => [false, true]),
    );
  });

  describe.each(Object.entries(unaryProtocols))("of a unary call by %s", (name, call) => {
    const protocol = protocolOf(name);
    const isRpc = protocol !== "http";

    /** Expects the code of the line in the log, in the words of the protocol. @returns the line */
    async function expectLogged(word: string, status: number, reason: string): Promise<LogLine> {
      const rpcCode = protocol === "connect" ? word : word.toUpperCase();
      const line = await until("the line", () => server.lines[0]);
      expect(line).toMatchObject({ code: isRpc ? rpcCode : status, reason });
      return line;
    }

    test("has the code and the reason of an error", async () => {
      await call(server.url, bearer(), unknownPet);
      expect(await only()).toMatchObject({
        protocol,
        code: isRpc ? Code.NotFound : 404,
        reason: "PET_NOT_FOUND",
        verdict: "admitted",
      });
      const line = await expectLogged("not_found", 404, "PET_NOT_FOUND");
      expect(line.bytesIn).toBeGreaterThan(0);
      expect(line.route).toMatch(isRpc ? /\/UpdateInventory$/ : /^\/v1\/inventory\/\{[a-z_.]+\}$/);
    });

    test("has the verdict of a refusal before the call", async () => {
      await call(server.url, null, { list: true });
      expect(await only()).toMatchObject({
        protocol,
        code: isRpc ? Code.Unauthenticated : 401,
        reason: "KEY_MISSING",
        verdict: "missing",
        plan: undefined,
        caller: undefined,
      });
      const line = await expectLogged("unauthenticated", 401, "KEY_MISSING");
      expect(line).not.toHaveProperty("accountId");
      expect(line).not.toHaveProperty("keyId");
    });

    test("names the caller of a request beyond the limit", async () => {
      await contract.spend(60);
      await call(server.url, bearer(), { list: true });
      expect(await only()).toMatchObject({
        code: isRpc ? Code.ResourceExhausted : 429,
        reason: "RATE_LIMITED",
        verdict: "limited",
        plan: "free",
        caller: { keyId: contract.own.keyId },
      });
      const line = await expectLogged("resource_exhausted", 429, "RATE_LIMITED");
      expect(line.keyId).toBe(contract.own.keyId);
    });
  });

  describe.each(watchProtocols)("of a stream by $name", (watch) => {
    const protocol = protocolOf(watch.name);
    const isRpc = protocol !== "http";

    test("that ends with an error has its code and reason", async () => {
      const { secret } = contract.own;
      await startWatch(watch, { url: server.url, secret, token: "1" }).failure();
      expect(await only()).toMatchObject({
        operation: {
          route: isRpc ? "/inventory.v1.InventoryService/WatchInventory" : "/v1/inventory:watch",
        },
        protocol,
        code: isRpc ? Code.OutOfRange : 410,
        reason: "WATCH_EXPIRED",
      });
    });

    test("that ends with an error after its first messages has the reason, too", async () => {
      const { secret } = contract.own;
      const open = startWatch(watch, { url: server.url, secret, token: "" });
      await open.reached(nthVersion(stock.length));
      await server.stores.accounts.update(ownAccount, { state: "disabled" });
      const { code } = await open.failure();
      expect(await only()).toMatchObject({
        protocol,
        // The status of HTTP was sent before the first message.
        code: isRpc ? code : 200,
        reason: "ACCOUNT_DISABLED",
        isStream: true,
      });
    });
  });

  describe.each([
    ["HTTP/1.1", overHttp1],
    ["HTTP/2", overHttp2],
  ])("over %s", (_, send) => {
    test("of a public path has its operation, and no verdict", async () => {
      await send(server.url, "GET", "/readyz", {});
      expect(await only()).toMatchObject({
        operation: { route: "/readyz" },
        code: 200,
        verdict: undefined,
      });
    });

    test("of a request with too many headers, which the server refuses itself, has 431", async () => {
      const headers = { "x-large": "a".repeat(15_000), "x-larger": "a".repeat(15_000) };
      await send(server.url, "GET", "/v1/inventory", headers).catch(() => undefined);
      expect(await only()).toMatchObject({ protocol: "http", code: 431 });
    });
  });

  test("of a request without a response has 499", async () => {
    const socket = connectTo(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      `PATCH /v1/inventory/1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer()}\r\nContent-Length: 9\r\n\r\n{`,
      () => socket.resetAndDestroy(),
    );
    const record = await only();
    expect(record.code).not.toBe(noCode);
    expect(record).toMatchObject({ protocol: "http", code: 499 });
  });
});
