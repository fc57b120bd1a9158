import {
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  InventoryService,
  PetStatus,
  type WatchInventoryResponse,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { createApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/observability/log/log.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { storeKinds, useStoreServers } from "../support/stores.ts";
import { connect, grpc, startWatch } from "../support/watch.ts";

const pets = 12;
const each = 20;
const total = pets * each;
const petIds = Array.from({ length: pets }, (_, at) => BigInt(at + 1));

/** A batch: what each of some different pets passes on to the next of them, in a circle. */
const transfer = fc.tuple(
  fc.subarray(petIds, { minLength: 2 }),
  fc.array(fc.integer({ min: 1, max: 30 }), { minLength: pets, maxLength: pets }),
);

function adjustmentsOf([some, amounts]: readonly [readonly bigint[], readonly number[]]) {
  const passed = some.map((_, at) => amounts[at] ?? 1);
  return some.flatMap((petId, at) => {
    const delta = (passed.at(at - 1) ?? 0) - (passed[at] ?? 0);
    return delta === 0 ? [] : [{ petId, delta }];
  });
}

const sum = (quantities: Iterable<number>) => [...quantities].reduce((a, b) => a + b, 0);

/**
 * Checks that the changes of each batch are adjacent, and that the stock has the same total before and after each.
 *
 * @param sizes how many changes each batch has, by its reference
 */
function checkWatched(
  received: readonly WatchInventoryResponse[],
  sizes: ReadonlyMap<string, number>,
): void {
  const stock = new Map<bigint, number>();
  const ended = new Set<string>();
  let batch = "";
  let changes = 0;
  for (const { event } of received) {
    if (event.case === "snapshot") {
      for (const { petId, quantity = 0 } of event.value.items) stock.set(petId, quantity);
    } else if (event.case === "ready") {
      expect(sum(stock.values()), "in the snapshot").toBe(total);
    } else if (event.case === "change") {
      const { petId, quantityAfter = 0, reference } = event.value;
      stock.set(petId, quantityAfter);
      if (changes === 0) batch = reference;
      expect(reference, "the batch of adjacent changes").toBe(batch);
      expect(ended).not.toContain(reference);
      changes += 1;
      if (changes === sizes.get(batch)) {
        expect(sum(stock.values()), `after batch ${batch}`).toBe(total);
        ended.add(batch);
        changes = 0;
      }
    }
  }
  expect(changes, "changes of a batch that has not ended").toBe(0);
  expect(ended).toEqual(new Set(sizes.keys()));
}

/** Starts a server on stores. It ends with the test. @returns its URL */
async function serve(stores: Stores): Promise<string> {
  const config = readConfig({ PORT: "0", LOG_LEVEL: "silent" });
  const app = createApp(config, stores, createLog(config.logLevel), { onRequestEnd() {} });
  onTestFinished(() => app.drain(0));
  return (await app.listen(config.port, config.host)).url;
}

describe.each(storeKinds)("BatchAdjustInventory in $name", ({ name }) => {
  const redis = name === "redis" ? useStoreServers() : undefined;

  /** Returns the stores of two processes. */
  async function twoStores(): Promise<readonly [Stores, Stores]> {
    if (!redis) {
      const stores = createMemoryStores();
      return [stores, stores];
    }
    await redis.flush();
    const open = () => openRedisStores(redis.target);
    const both = [open(), open()] as const;
    for (const stores of both) onTestFinished(() => stores.close());
    await Promise.all(both.map((stores) => stores.ready(5_000)));
    return both;
  }

  it("concurrent transfers keep the total in every list, and in a watch after each batch", async () => {
    const [one, other] = await twoStores();
    const urls = await Promise.all([serve(one), serve(other)]);
    const limits = { perMinute: 1_000_000, perDay: 1_000_000_000 };
    const { secret } = await addKey(one, await addAccount(one, { plan: "enterprise", limits }));
    const clients = urls.flatMap((baseUrl) => {
      const interceptors: Interceptor[] = [
        (next) => (request) => {
          request.header.set("authorization", `Bearer ${secret}`);
          return next(request);
        },
      ];
      const transports: Transport[] = [
        createConnectTransport({ baseUrl, httpVersion: "1.1", interceptors }),
        createGrpcTransport({ baseUrl, interceptors }),
      ];
      return transports.map((transport) => createClient(InventoryService, transport));
    });
    let run = 0;
    let made = 0;
    let refused = 0;

    await fc.assert(
      fc.asyncProperty(fc.array(transfer, { minLength: 20, maxLength: 60 }), async (transfers) => {
        run += 1;
        await one.inventory.put(
          petIds.map((petId) => ({ petId, quantity: each, status: PetStatus.AVAILABLE })),
        );
        const start = (await one.inventory.list()).version;
        const watches = [connect, grpc].map((protocol, at) =>
          startWatch(protocol, { url: urls[at] ?? "", secret }),
        );
        await Promise.all(watches.map((watch) => watch.reached(start)));
        const sizes = new Map<string, number>();
        const open = { transfers: true };
        const batches = transfers.map(adjustmentsOf).filter(({ length }) => length > 0);
        const changing = Promise.all(
          batches.map(async (adjustments, at) => {
            const reference = `${run}-${at}`;
            const client = clients[at % clients.length] as (typeof clients)[number];
            try {
              const { items } = await client.batchAdjustInventory({ adjustments, reference });
              expect(items.map(({ item }) => item?.petId)).toEqual(
                adjustments.map(({ petId }) => petId),
              );
              sizes.set(reference, adjustments.length);
            } catch (error) {
              expect(ConnectError.from(error).code).toBe(Code.FailedPrecondition);
              refused += 1;
            }
          }),
        ).finally(() => {
          open.transfers = false;
        });
        const reading = clients.map(async (client, at) => {
          const request = at % 2 === 0 ? {} : { pageSize: 1_000 };
          do {
            const { items } = await client.listInventory(request);
            expect(sum(items.map(({ quantity = 0 }) => quantity))).toBe(total);
          } while (open.transfers);
        });
        await Promise.all([changing, ...reading]);
        const end = (await other.inventory.list()).version;
        for (const watch of watches) {
          await watch.reached(end);
          checkWatched(watch.received, sizes);
          watch.disconnect();
        }
        made += sizes.size;
      }),
      { numRuns: 8 },
    );
    // Both kinds of outcome occur.
    expect(Math.min(made, refused)).toBeGreaterThan(0);
  });
});
