import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { reasonOf } from "../../src/errors.ts";
import { nthVersion, storeKinds } from "../support/stores.ts";
import {
  connect,
  eventually,
  grpc,
  kindsTold,
  ndjson,
  serverSentEvents,
  startWatch,
  stockTold,
  versionsTold,
  watchDialects,
} from "../support/watch.ts";
import { describeCommonCases } from "./common-cases.ts";
import { expectError, stock, useContract } from "./support.ts";

/** The version of the stock before each test. */
const first = nthVersion(stock.length);

describe.each(storeKinds)("WatchInventory in $name", (kind) => {
  const contract = useContract(kind, { WATCH_HEARTBEAT_MS: "100", WATCH_BACKLOG: "2000" });
  const { server } = contract;
  const request = (token = "") => ({ url: server.url, secret: contract.own.secret, token });
  const change = (quantity: number) => server.stores.inventory.setQuantity(1n, quantity);

  describe.each(watchDialects)("by $name", (dialect) => {
    it("tells the whole stock, that it was all, and then every change in order", async () => {
      const watch = startWatch(dialect, request());
      await watch.reached(first);
      expect(kindsTold(watch.told)).toEqual(["snapshot", "ready"]);
      expect(stockTold(watch.told)).toEqual(
        new Map(stock.map((item) => [item.petId, item.quantity])),
      );
      await change(5);
      await server.stores.inventory.create({ petId: 7n, quantity: 1, status: PetStatus.PENDING });
      await server.stores.inventory.remove(2n);
      await watch.reached(first + 3n);
      expect(versionsTold(watch.told)).toEqual([first + 1n, first + 2n, first + 3n]);
      expect(stockTold(watch.told)).toEqual(
        new Map([
          [1n, 5],
          [9_007_199_254_740_993n, 7],
          [7n, 1],
        ]),
      );
    });

    it("goes on after a resume token: with what was missed, and nothing else", async () => {
      await change(1);
      await change(2);
      const watch = startWatch(dialect, request(String(first + 1n)));
      await watch.reached(first + 2n);
      await change(3);
      await watch.reached(first + 3n);
      expect(kindsTold(watch.told)).toEqual(["change", "ready", "change"]);
      expect(versionsTold(watch.told)).toEqual([first + 2n, first + 3n]);
    });

    it("out_of_range when the stock never had the version", async () => {
      const failure = await startWatch(dialect, request("99999")).failure();
      expect(failure.code).toBe(Code.OutOfRange);
    });

    it.each(["no-token", "-1", "007", "1.0"])("invalid_argument: %s is no token", async (token) => {
      const failure = await startWatch(dialect, request(token)).failure();
      expect(failure.code).toBe(Code.InvalidArgument);
    });

    it("unauthenticated when its key is revoked meanwhile", async () => {
      const watch = startWatch(dialect, request());
      await watch.reached(first);
      await server.stores.accounts.revokeKey(contract.own.keyId);
      const failure = await watch.failure();
      expect(failure).toMatchObject({
        code: Code.Unauthenticated,
        rawMessage: expect.stringContaining("revoked"),
      });
    });
  });

  it("says on RPC for what reason it ends", async () => {
    const expired = await startWatch(grpc, request("99999")).failure();
    expect(reasonOf(expired)).toBe("WATCH_EXPIRED");
    const watch = startWatch(connect, request());
    await watch.reached(first);
    await server.stores.accounts.revokeKey(contract.own.keyId);
    expect(reasonOf(await watch.failure())).toBe("KEY_REVOKED");
  });

  it("410 when the stock never had the version", async () => {
    const reply = await contract.send("GET /v1/inventory:watch?resumeToken=99999");
    expectError(reply, 410, "out_of_range", "Start over");
  });

  it("400 that names the field when the token is none", async () => {
    const reply = await contract.send("GET /v1/inventory:watch?resumeToken=x");
    expectError(reply, 400, "invalid_argument", "resumeToken");
  });

  it("believes Last-Event-ID before the query: browsers repeat the query", async () => {
    await change(1);
    const line = `GET /v1/inventory:watch?resumeToken=${first}`;
    const reply = await contract.send(line, { headers: { "last-event-id": "99999" } });
    expectError(reply, 410, "out_of_range");
  });

  it("unauthenticated when its key expires meanwhile", async () => {
    const key = await contract.newKey({ expiresAt: server.clock.now + 60_000 });
    const watch = startWatch(serverSentEvents, { url: server.url, secret: key.secret });
    await watch.reached(first);
    server.clock.now += 60_000;
    expect(await watch.failure()).toMatchObject({
      code: Code.Unauthenticated,
      rawMessage: expect.stringContaining("expired"),
    });
  });

  it("heartbeats say up to which version all was told, and count against no limit", async () => {
    const watch = startWatch(ndjson, request());
    const beats = () => watch.told.filter(({ event }) => event.case === "heartbeat");
    await eventually("two heartbeats", () => beats().length > 1);
    await change(4);
    await eventually(
      "a heartbeat after the change",
      () => beats().at(-1)?.resumeToken === String(first + 1n),
    );
    expect(watch.end).toBeUndefined();
    const reply = await contract.send("GET /v1/inventory");
    expect(reply.headers["x-ratelimit-remaining"]).toBe("58");
  });

  it("a key's watch does not end with another key", async () => {
    const other = await contract.newKey();
    const watch = startWatch(ndjson, request());
    const ended = startWatch(ndjson, { url: server.url, secret: other.secret });
    await Promise.all([watch.reached(first), ended.reached(first)]);
    await server.stores.accounts.revokeKey(other.keyId);
    await ended.failure();
    await change(9);
    await watch.reached(first + 1n);
    expect(watch.end).toBeUndefined();
  });

  it("a stock of several pages is told whole", async () => {
    const items = Array.from({ length: 1_234 }, (_, index) => ({
      petId: BigInt(1_000 + index),
      quantity: index,
      status: PetStatus.AVAILABLE,
    }));
    await server.stores.inventory.put(items);
    const watch = startWatch(connect, request());
    await watch.reached(first + 1_234n);
    expect(kindsTold(watch.told)).toEqual(["snapshot", "snapshot", "snapshot", "ready"]);
    expect(stockTold(watch.told)).toEqual(
      new Map([...stock, ...items].map(({ petId, quantity }) => [petId, quantity])),
    );
  });

  it("HEAD tells the header fields of a watch, and ends", async () => {
    const headers = { accept: "text/event-stream" };
    const reply = await contract.send("HEAD /v1/inventory:watch", { headers });
    expect(reply).toMatchObject({ status: 200, body: "" });
    expect(reply.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
    });
  });
});

describe.each(storeKinds)("the common cases of WatchInventory in $name", (kind) => {
  const contract = useContract(kind);
  describeCommonCases(contract, {
    line: "GET /v1/inventory:watch",
    // Then it has an end.
    parts: { headers: { "connect-timeout-ms": "200" } },
    scope: "inventory:read",
    allow: ["GET", "HEAD", "OPTIONS"],
    refused: ["POST", "PUT", "PATCH", "DELETE"],
    nowhere: ["/v1/inventory:watch/", "/v1/inventory:watches", "/v1/inventory:Watch"],
  });
});
