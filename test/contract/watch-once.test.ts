import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { nthVersion, storeKinds } from "../support/stores.ts";
import {
  grpc,
  jsonArray,
  kindsOf,
  startWatch,
  stockAfter,
  versionsOf,
  type Watch,
  watchProtocols,
} from "../support/watch.ts";
import { expectError, stock, useContract } from "./support.ts";

const first = nthVersion(stock.length);

describe.each(storeKinds)("WatchInventory with once in $name", (kind) => {
  const contract = useContract(kind, { WATCH_BACKLOG: "100", MAX_WATCHES_PER_KEY: "1" });
  const { server } = contract;
  const request = (token = "") =>
    ({ url: server.url, secret: contract.own.secret, token, once: true }) as const;
  const change = (quantity: number) => server.stores.inventory.change({ petId: 1n, quantity });
  const ended = (watch: Watch) =>
    expect.poll(() => watch.end, { timeout: 10_000, interval: 1 }).toBe("end");

  describe.each([...watchProtocols, jsonArray])("by $name", (protocol) => {
    test("ends with success after the stock and ready", async () => {
      const watch = startWatch(protocol, request());
      await ended(watch);
      expect(kindsOf(watch.received)).toEqual(["snapshot", "ready"]);
      expect(stockAfter(watch.received)).toEqual(
        new Map(stock.map((item) => [item.petId, item.quantity])),
      );
      expect(watch.token).toBe(String(first));
    });

    test("ends with success after all missed changes, more than WATCH_BACKLOG", async () => {
      for (let count = 0; count < 720; count += 1) await change(count);
      const watch = startWatch(protocol, request(String(first)));
      await ended(watch);
      expect(versionsOf(watch.received)).toEqual(
        Array.from({ length: 720 }, (_, index) => first + BigInt(index) + 1n),
      );
      expect(kindsOf(watch.received).indexOf("ready")).toBe(720);
      expect(watch.token).toBe(String(first + 720n));
    });

    test("ends with ready alone if nothing was missed", async () => {
      const watch = startWatch(protocol, request(String(first)));
      await ended(watch);
      expect(kindsOf(watch.received)).toEqual(["ready"]);
    });

    test("out_of_range for a token that the stock never had", async () => {
      const failure = await startWatch(protocol, request("99999")).failure();
      expect(failure.code).toBe(Code.OutOfRange);
    });
  });

  test("sends only what belongs to a selection, and ready with the version of the stock", async () => {
    const selection = { status: PetStatus.AVAILABLE, minQuantity: 5 };
    const whole = startWatch(grpc, { ...request(), selection });
    await ended(whole);
    expect([...stockAfter(whole.received).keys()]).toEqual([1n]);
    await server.stores.inventory.change({ petId: 2n, quantity: 9 });
    await change(4);
    const missed = startWatch(jsonArray, { ...request(whole.token), selection });
    await ended(missed);
    expect(versionsOf(missed.received)).toEqual([first + 2n]);
    expect(missed.token).toBe(String(first + 2n));
  });

  test("once=false is a watch without an end", async () => {
    const watch = startWatch(grpc, { url: server.url, secret: contract.own.secret });
    await watch.reached(first);
    await change(5);
    await watch.reached(first + 1n);
    expect(watch.end).toBeUndefined();
    watch.disconnect();
    const line = "GET /v1/inventory:watch?once=false";
    const reply = await contract.send(line, { isEndless: true });
    expect(reply).toMatchObject({ status: 200, body: expect.stringContaining("snapshot") });
  });

  test.each(["", "1", "True", "yes"])("400 names the field for once=%s", async (value) => {
    const reply = await contract.send(`GET /v1/inventory:watch?once=${value}`);
    expectError(reply, 400, "invalid_argument", "once: must be true or false");
  });

  test("400 for once=true and once=true", async () => {
    const reply = await contract.send("GET /v1/inventory:watch?once=true&once=true");
    expectError(reply, 400, "invalid_argument", "once");
  });

  test("400 names the other field that is invalid", async () => {
    const reply = await contract.send("GET /v1/inventory:watch?once=true&resumeToken=x");
    expectError(reply, 400, "invalid_argument", "resumeToken");
    const both = await contract.send(
      "GET /v1/inventory:watch?once=true&minQuantity=3&maxQuantity=2",
    );
    expectError(both, 400, "invalid_argument", "minQuantity");
  });

  test("invalid_argument on RPC for a value of another type", async () => {
    const headers = {
      "content-type": "application/grpc-web+json",
      authorization: `Bearer ${contract.own.secret}`,
    };
    const message = Buffer.from('{"once":"true"}');
    const envelope = Buffer.alloc(5);
    envelope.writeUInt32BE(message.length, 1);
    const reply = await contract.send("POST /inventory.v1.InventoryService/WatchInventory", {
      headers,
      body: Buffer.concat([envelope, message]),
    });
    expect(reply.body).toContain("grpc-status: 3");
    expect(decodeURIComponent(reply.body)).toContain("once");
  });

  test("a watch that ends counts as open until then", async () => {
    const open = startWatch(grpc, { url: server.url, secret: contract.own.secret });
    await open.reached(first);
    const refused = await contract.send("GET /v1/inventory:watch?once=true");
    expectError(refused, 429, "resource_exhausted", "MAX_WATCHES_PER_KEY");
    open.disconnect();
    const polled = () => contract.send("GET /v1/inventory:watch?once=true");
    await expect.poll(async () => (await polled()).status, { timeout: 5_000 }).toBe(200);
    expect((await polled()).status).toBe(200);
  });
});
