import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { InventoryService } from "../../gen/inventory/v1/inventory_pb.ts";
import { protocols } from "../../packages/connect-gateway/test/rpc/support.ts";
import { bearer, type Contract, describeApi } from "./support.ts";

/** Reads a page of the history with one protocol. */
type ReadPage = (contract: Contract, pageSize: number | undefined) => Promise<unknown>;

const allProtocols: readonly (readonly [name: string, read: ReadPage])[] = [
  [
    "JSON over HTTP",
    async (contract, pageSize) => {
      const query = pageSize === undefined ? "" : `?pageSize=${pageSize}`;
      const { status } = await contract.send(`GET /v1/inventory/changes${query}`);
      expect(status).toBe(200);
    },
  ],
  ...protocols.map(([name, open]) => {
    const read: ReadPage = ({ server, own }, pageSize) =>
      createClient(InventoryService, open(server.url)).listInventoryChanges(
        pageSize === undefined ? {} : { pageSize },
        { headers: { authorization: bearer(own) } },
      );
    return [name, read] as const;
  }),
];

describeApi("long pages, in $name", (contract) => {
  /** Lets reads of the history wait until `open` is called. */
  function hold() {
    const { inventory } = contract.server.stores;
    const { changes } = inventory;
    const gate = Promise.withResolvers<void>();
    const reads = { long: 0, short: 0, open: gate.resolve };
    inventory.changes = async (...query) => {
      reads[query[0].limit > 20 ? "long" : "short"] += 1;
      await gate.promise;
      return changes(...query);
    };
    return reads;
  }

  /** Begins to read two long pages. A third one would have to wait. */
  async function holdTwo() {
    const reads = hold();
    const pages = [1, 2].map(() => contract.send("GET /v1/inventory/changes?pageSize=21"));
    await expect.poll(() => reads.long).toBe(2);
    return { reads, pages };
  }

  test.each(allProtocols)("two run at once, and short ones do not wait: %s", async (_, read) => {
    const reads = hold();
    const pages = [21, undefined, 100, 200].map((size) => read(contract, size));
    await expect.poll(() => contract.server.inFlight?.unary).toBe(4);
    const short = [1, 20].map((size) => read(contract, size));
    await expect.poll(() => reads.short).toBe(2);
    expect(reads.long).toBe(2);
    reads.open();
    await Promise.all([...pages, ...short]);
    expect(reads.long).toBe(4);
  });

  test("a deadline ends the wait", async () => {
    const { reads, pages } = await holdTwo();
    const headers = { "x-server-timeout": "0.02" };
    const late = await contract.send("GET /v1/inventory/changes?pageSize=21", { headers });
    expect(late.status).toBe(504);
    reads.open();
    await Promise.all(pages);
  });

  test("reports of usage run two at once, too", async () => {
    const { usage } = contract.server.stores;
    const { read } = usage;
    const gate = Promise.withResolvers<void>();
    let reads = 0;
    usage.read = async (...query) => {
      reads += 1;
      await gate.promise;
      return read(...query);
    };
    const reports = Array.from({ length: 4 }, () => contract.send("GET /v1/usage"));
    await expect.poll(() => contract.server.inFlight?.unary).toBe(4);
    expect((await contract.send("GET /v1/inventory")).status).toBe(200);
    expect(reads).toBe(2);
    gate.resolve();
    for (const { status } of await Promise.all(reports)) expect(status).toBe(200);
    usage.read = read;
  });

  test("a scan for a selection waits; a selection of pets does not", async () => {
    const { reads, pages } = await holdTwo();
    const { inventory } = contract.server.stores;
    const { list } = inventory;
    let lists = 0;
    inventory.list = (...query) => {
      lists += 1;
      return list(...query);
    };
    // No other test of this process may have cached them.
    const scans = ["?maxQuantity=77", "?minQuantity=3&maxQuantity=78&pageSize=1"].map((query) =>
      contract.send(`GET /v1/inventory${query}`),
    );
    await expect.poll(() => contract.server.inFlight?.unary).toBe(4);
    expect((await contract.send("GET /v1/inventory?petIds=1&status=sold")).status).toBe(200);
    expect(lists).toBe(1);
    reads.open();
    for (const { status } of await Promise.all([...pages, ...scans])) expect(status).toBe(200);
    expect(lists).toBe(3);
    inventory.list = list;
  });

  test("the whole list does not wait, because it is cached", async () => {
    const { reads, pages } = await holdTwo();
    expect((await contract.send("GET /v1/inventory")).status).toBe(200);
    reads.open();
    await Promise.all(pages);
  });
});
