import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { reasonOf } from "../../src/contract/errors.ts";
import { nthVersion, storeKinds } from "../support/stores.ts";
import {
  connect,
  grpc,
  kindsOf,
  ndjson,
  startWatch,
  stockAfter,
  versionsOf,
  watchProtocols,
} from "../support/watch.ts";
import { until } from "../system/harness/until.ts";
import { expectError, stock, useContract } from "./support.ts";

const first = nthVersion(stock.length);

describe.each(storeKinds)("WatchInventory in $name", (kind) => {
  const contract = useContract(kind, { WATCH_HEARTBEAT_MS: "100", WATCH_BACKLOG: "2000" });
  const { server } = contract;
  const request = (token = "") => ({ url: server.url, secret: contract.own.secret, token });
  const change = (quantity: number) => server.stores.inventory.change({ petId: 1n, quantity });

  describe.each(watchProtocols)("by $name", (protocol) => {
    test("sends the whole stock, ready, then every change in order", async () => {
      const watch = startWatch(protocol, request());
      await watch.reached(first);
      expect(kindsOf(watch.received)).toEqual(["snapshot", "ready"]);
      expect(stockAfter(watch.received)).toEqual(
        new Map(stock.map((item) => [item.petId, item.quantity])),
      );
      await change(5);
      await server.stores.catalog.create({ petId: 7n, quantity: 1, status: PetStatus.PENDING });
      await server.stores.catalog.remove(2n);
      await watch.reached(first + 3n);
      expect(versionsOf(watch.received)).toEqual([first + 1n, first + 2n, first + 3n]);
      expect(stockAfter(watch.received)).toEqual(
        new Map([
          [1n, 5],
          [9_007_199_254_740_993n, 7],
          [7n, 1],
        ]),
      );
    });

    test("sends exactly the missed changes after a resume token", async () => {
      await change(1);
      await change(2);
      const watch = startWatch(protocol, request(String(first + 1n)));
      await watch.reached(first + 2n);
      await change(3);
      await watch.reached(first + 3n);
      expect(kindsOf(watch.received)).toEqual(["change", "ready", "change"]);
      expect(versionsOf(watch.received)).toEqual([first + 2n, first + 3n]);
    });

    test("out_of_range for a version that the stock never had", async () => {
      const failure = await startWatch(protocol, request("99999")).failure();
      expect(failure.code).toBe(Code.OutOfRange);
    });

    test.each(["no-token", "-1", "007", "1.0"])(
      "invalid_argument for the token %s",
      async (token) => {
        const failure = await startWatch(protocol, request(token)).failure();
        expect(failure.code).toBe(Code.InvalidArgument);
      },
    );

    test("unauthenticated when the key is revoked during the watch", async () => {
      const watch = startWatch(protocol, request());
      await watch.reached(first);
      await server.stores.accounts.revokeKey(contract.own.keyId);
      const failure = await watch.failure();
      expect(failure).toMatchObject({
        code: Code.Unauthenticated,
        rawMessage: expect.stringContaining("revoked"),
      });
    });
  });

  test("ErrorInfo has the reason for the end on RPC", async () => {
    const expired = await startWatch(grpc, request("99999")).failure();
    expect(reasonOf(expired)).toBe("WATCH_EXPIRED");
    const watch = startWatch(connect, request());
    await watch.reached(first);
    await server.stores.accounts.revokeKey(contract.own.keyId);
    expect(reasonOf(await watch.failure())).toBe("KEY_REVOKED");
  });

  test("410 for a version that the stock never had", async () => {
    const reply = await contract.send("GET /v1/inventory:watch?resumeToken=99999");
    expectError(reply, 410, "out_of_range", "Watch again without a token");
  });

  test("400 names the field for a malformed token", async () => {
    const reply = await contract.send("GET /v1/inventory:watch?resumeToken=x");
    expectError(reply, 400, "invalid_argument", "resumeToken");
  });

  test("Last-Event-ID overrides the query, which browsers repeat", async () => {
    await change(1);
    const line = `GET /v1/inventory:watch?resumeToken=${first}`;
    const reply = await contract.send(line, { headers: { "last-event-id": "99999" } });
    expectError(reply, 410, "out_of_range");
  });

  test("invalid_argument for an invalid query that Last-Event-ID overrides", async () => {
    const line = "GET /v1/inventory:watch?resumeToken=%5BA%5D";
    const reply = await contract.send(line, { headers: { "last-event-id": "0" } });
    expectError(reply, 400, "invalid_argument", "resumeToken");
  });

  test("heartbeats have the last sent version and count against no limit", async () => {
    const watch = startWatch(ndjson, request());
    const beats = () => watch.received.filter(({ event }) => event.case === "heartbeat");
    await until("two heartbeats", () => beats().length > 1);
    await change(4);
    await until(
      "a heartbeat after the change",
      () => beats().at(-1)?.resumeToken === String(first + 1n),
    );
    expect(watch.end).toBeUndefined();
    const reply = await contract.send("GET /v1/inventory");
    expect(reply.headers["x-ratelimit-remaining"]).toBe("58");
  });

  test("HEAD returns the headers of a watch and ends", async () => {
    const headers = { accept: "text/event-stream" };
    const reply = await contract.send("HEAD /v1/inventory:watch", { headers });
    expect(reply).toMatchObject({ status: 200, body: "" });
    expect(reply.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
  });
});
